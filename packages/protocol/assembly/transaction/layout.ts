/**
 * Sizes, tags and the two fixed layouts that host and kernel share: the manifest block the host
 * writes and the table a decode fills. The constants carry no types so that the host imports this
 * very file. All offsets are bytes; offsets found in a table count from the first byte decoded.
 */

export const ID_BYTES = 48;
export const ADDRESS_BYTES = 49;
export const OUTPOINT_BYTES = 52;
export const OUTPUT_BYTES = 57;
export const PUBLIC_KEY_BYTES = 1952;
export const SIGNATURE_BYTES = 3309;

export const TRANSACTION_BYTES_MAX = 60000;
export const INPUTS_MAX = 8;
export const OUTPUTS_MAX = 16;
export const PAYLOAD_BYTES_MAX = 8192;
export const ENDPOINT_BYTES_MAX = 1024;
export const COMMISSION_BPS_MAX = 1000;
export const COMMISSION_BPS_STEP = 10;
/** One witness for each input and one for the operation. */
export const WITNESSES_MAX = 9;
/** Every witness with three signers. */
export const REGISTERED_KEYS_MAX = 27;

export const BODY_FORMAT = 1;
/** A body of this format declares its fee. */
export const BODY_FORMAT_FEE = 2;
export const WIRE_FORMAT = 1;

export const ADDRESS_KEY = 0;
export const ADDRESS_MULTISIG = 1;
export const ADDRESS_BURN = 2;

export const OPERATION_NONE = 0;

export const PROFILE_INLINE = 0;
export const PROFILE_REFERENCED = 1;
export const PROFILE_MULTISIG_INLINE = 2;
export const PROFILE_MULTISIG_REFERENCED = 3;
export const PROFILE_REPEATED = 4;

/** A profile as `txQuote` takes it: profile u8, threshold u8, members u8. */
export const QUOTED_PROFILE_BYTES = 3;

// The manifest block: what the host gives the kernel about the chain.
export const MANIFEST_CHAIN_ID = 0;
export const MANIFEST_RULES_ID = 48;
export const MANIFEST_PROTOCOL_VERSION = 96; // u32
export const MANIFEST_TRANSACTION_BYTES_MAX = 100; // u32
export const MANIFEST_INPUTS_MAX = 104; // u32
export const MANIFEST_OUTPUTS_MAX = 108; // u32
export const MANIFEST_PAYLOAD_BYTES_MAX = 112; // u32
export const MANIFEST_VALIDITY_CUTS_MAX = 120; // u64
export const MANIFEST_MASS_PER_SIGNATURE = 128; // u64
export const MANIFEST_MASS_PER_OUTPUT = 136; // u64
export const MANIFEST_FEE_PER_MASS_MIN = 144; // u64
export const MANIFEST_BYTES = 152;

// The table: what a decode found. A field that does not apply is 0.
export const TABLE_ID = 0;
export const TABLE_MASS = 48; // u64, of a whole transaction
export const TABLE_MINIMUM_FEE = 56; // u64, of a whole transaction
export const TABLE_VALID_FROM = 64; // u64
export const TABLE_VALID_UNTIL = 72; // u64
export const TABLE_OUTPUT_SUM = 80; // u64
export const TABLE_LOCKED_AMOUNT = 88; // u64, what a bond or registration moves out of the inputs
export const TABLE_INPUT_SUM = 96; // u64, filled by `txVerify`
export const TABLE_FEE = 104; // u64, filled by `txVerify`
export const TABLE_OPERATION_AMOUNT = 112; // u64
export const TABLE_EPOCH = 120; // u64
export const TABLE_BODY = 128; // u32 offset
export const TABLE_BODY_BYTES = 132; // u32
export const TABLE_WIRE_BYTES = 136; // u32
export const TABLE_SIGNATURES = 140; // u32
export const TABLE_INPUT_COUNT = 144; // u32
export const TABLE_INPUTS = 148; // u32 offset of the first outpoint
export const TABLE_OUTPUT_COUNT = 152; // u32
export const TABLE_OUTPUTS = 156; // u32 offset of the first output
export const TABLE_OPERATION = 160; // u32 tag
export const TABLE_SUBJECT = 164; // u32 offset of the validator or position id
export const TABLE_OWNER = 168; // u32 offset of the owner address
export const TABLE_REWARD = 172; // u32 offset of the reward address
export const TABLE_COMMISSION = 176; // u32 basis points
export const TABLE_CONSENSUS_KEY = 180; // u32 offset
export const TABLE_ENDPOINT = 184; // u32 offset
export const TABLE_ENDPOINT_BYTES = 188; // u32
export const TABLE_PAYLOAD = 192; // u32 offset
export const TABLE_PAYLOAD_BYTES = 196; // u32
export const TABLE_WITNESS_COUNT = 200; // u32
export const TABLE_POSSESSION = 204; // u32 offset of the possession signature
export const TABLE_WITNESSES = 208; // one entry for each input, then one for the operation
export const TABLE_MESSAGE = 352; // 48 bytes, filled by the message functions
export const TABLE_DECLARED_FEE = 400; // u64
export const TABLE_FEE_DECLARED = 408; // u32, 1 where the body declares its fee
export const TABLE_REPEATED = 412; // u32 bitmap of the inputs that repeat the witness of the one before
export const TABLE_BYTES = 416;

// One witness entry of the table.
export const WITNESS_PROFILE = 0; // u32
export const WITNESS_AT = 4; // u32 offset of the profile byte
export const WITNESS_BYTES = 8; // u32
export const WITNESS_SIGNATURES = 12; // u32
export const WITNESS_ENTRY_BYTES = 16;
