/**
 * Every error number the kernel returns; 0 means success. `src/kernel/kernel-errors.ts` ties each
 * number to its stable code. The constants carry no types so that the host can import this file
 * too: there is one list, not two. A number is never reused.
 */

export const OK = 0;

// 1 to 19: the codec.
export const TRUNCATED = 1;
export const PADDED_VARINT = 2;
export const VARINT_TOO_LARGE = 3;
export const TRAILING_BYTES = 4;

// 20 to 49: transaction bodies.
export const UNKNOWN_FORMAT = 20;
export const WRONG_CHAIN = 21;
export const WRONG_PROTOCOL_VERSION = 22;
export const WRONG_RULES = 23;
export const WINDOW_REVERSED = 24;
export const WINDOW_TOO_LONG = 25;
export const NO_INPUTS = 26;
export const TOO_MANY_INPUTS = 27;
export const DUPLICATE_INPUT = 28;
export const NO_OUTPUTS = 29;
export const TOO_MANY_OUTPUTS = 30;
export const ZERO_AMOUNT = 31;
export const AMOUNT_TOO_LARGE = 32;
export const OUTPUTS_TOO_LARGE = 33;
export const UNKNOWN_ADDRESS_TYPE = 34;
export const BAD_BURN_ADDRESS = 35;
export const BURN_NOT_ALLOWED = 36;
export const UNKNOWN_OPERATION = 37;
export const COMMISSION_TOO_HIGH = 38;
export const COMMISSION_STEP = 39;
export const BAD_ENDPOINT_LENGTH = 40;
export const PAYLOAD_TOO_LONG = 41;
export const TRANSACTION_TOO_LARGE = 42;
export const DECLARED_FEE_TOO_LARGE = 43;
export const BAD_REPEATED_INPUTS = 44;

// 50 to 59: witnesses.
export const UNKNOWN_PROFILE = 50;
export const BAD_POLICY = 51;
export const MEMBERS_NOT_ASCENDING = 52;
export const BAD_SIGNERS = 53;
export const REPEATED_MISMATCH = 54;

// 60 to 89: errors about the outputs that a transaction spends.
export const UNSPENDABLE_OUTPUT = 60;
export const BAD_PREVIOUS_OUTPUT = 61;
export const INPUTS_TOO_LARGE = 62;
export const INSUFFICIENT_INPUTS = 63;
export const FEE_TOO_LOW = 64;
export const PROFILE_MISMATCH = 65;
export const KEY_MISMATCH = 66;
export const POLICY_MISMATCH = 67;
export const KEY_NOT_REGISTERED = 68;
export const OWNER_MISSING = 69;
export const OWNER_UNEXPECTED = 70;
export const OWNER_MISMATCH = 71;
export const BAD_SPEND_SIGNATURE = 72;
export const BAD_OPERATION_SIGNATURE = 73;
export const BAD_POSSESSION_SIGNATURE = 74;
export const PREVIOUS_OUTPUT_COUNT = 75;
export const TOO_MANY_KEYS = 76;
export const FEE_MISMATCH = 77;
export const REPEATED_ADDRESS = 78;

// 200 to 229: state trees and their proofs.
export const KEYS_NOT_ASCENDING = 200;
export const SUM_TOO_LARGE = 201;
export const COUNT_TOO_LARGE = 202;
export const EMPTY_SUBTREE = 203;
export const BATCH_TOO_LARGE = 204;
export const UNKNOWN_PROOF_VERSION = 210;
export const PATH_TOO_LONG = 211;
export const PATH_NOT_FALLING = 212;
export const PATH_OFF_KEY = 213;
export const WRONG_STATE_ROOT = 214;
export const WRONG_PROOF_ADDRESS = 215;
export const TOO_MANY_PROVEN_OUTPUTS = 216;
export const BAD_FOUND_FLAG = 217;
export const NEIGHBOUR_OF_ADDRESS = 218;
export const PATH_OF_EMPTY_TREE = 219;

// 230 to 246: work blocks.
export const BAD_HEADER_LENGTH = 230;
export const UNKNOWN_HEADER_VERSION = 231;
export const WRONG_CHAIN_TAG = 232;
export const BAD_WINDOW_END = 233;
export const RESERVED_NOT_ZERO = 234;
export const TAG_TOO_LONG = 235;
export const BAD_TAG_CHARACTER = 236;
export const BAD_TAG_PADDING = 237;
export const BLOCK_BODY_TOO_LARGE = 240;
export const NO_PARENTS = 241;
export const TOO_MANY_PARENTS = 242;
export const DUPLICATE_PARENT = 243;
export const TOO_MANY_TRANSACTIONS = 244;
export const DUPLICATE_TRANSACTION = 245;
export const DUPLICATE_SPEND = 246;

// 247 to 279: cuts, their certificates and validator sets.
export const BAD_CUT_HEADER_LENGTH = 247;
export const UNKNOWN_CUT_VERSION = 248;
export const BAD_CUT_PROPOSER = 249;
export const TOO_MANY_REGISTERED_BLOCKS = 250;
export const TOO_MANY_REGISTERED_BYTES = 251;
export const WRONG_CUT_CHAIN = 252;
export const WRONG_CUT_SET = 253;
export const NO_VALIDATORS = 254;
export const TOO_MANY_VALIDATORS = 255;
export const MEMBERS_OUT_OF_ORDER = 256;
export const ZERO_STAKE = 257;
export const STAKES_TOO_LARGE = 258;
export const ROUND_TOO_LARGE = 259;
export const BAD_VALID_ROUND = 260;
export const NO_SIGNERS = 261;
export const WRONG_CERTIFIED_CUT = 262;
export const WRONG_CERTIFIED_SET = 263;
export const SIGNERS_OUTSIDE_SET = 264;
export const TOO_LITTLE_STAKE = 265;
export const BAD_VOTE_SIGNATURE = 266;
