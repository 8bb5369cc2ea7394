/**
 * Work blocks as bytes; `docs/protocol.md` 6, and the table that a decoded body fills. The
 * constants carry no types so that the host imports this very file.
 */

export const HEADER_VERSION = 1;
export const HEADER_BYTES = 312;
export const HEADER_CHAIN_TAG = 4;
export const HEADER_ANCHOR_HEIGHT = 8;
export const HEADER_ANCHOR_ID = 16;
export const HEADER_PARENTS_ROOT = 64;
export const HEADER_BODY_ROOT = 112;
export const HEADER_PAYEE = 160;
export const HEADER_EXTRANONCE = 208;
export const HEADER_WINDOW_END = 240;
export const HEADER_RESERVED = 248;
export const HEADER_TARGET = 256;
export const HEADER_NONCE = 288;

export const CHAIN_TAG_BYTES = 4;
export const RESERVED_BYTES = 8;
export const TARGET_BYTES = 32;
export const NONCE_BYTES = 24;
export const EXTRANONCE_BYTES = 32;
export const TAG_CHARACTERS_MAX = 20;
/** Cuts after its anchor in which a block may be registered. */
export const REGISTRATION_CUTS = 96;

export const BODY_FORMAT = 1;
export const BODY_BYTES_MAX = 64000;
export const BODY_PAYOUT = 1;
export const BODY_EXTRANONCE = 50;
export const PARENTS_MAX = 8;
export const TRANSACTIONS_MAX = 1024;

// The table of a decoded body. Offsets count from the first byte of the body.
export const BLOCK_BODY_ROOT = 0;
export const BLOCK_PARENTS_ROOT = 48;
export const BLOCK_PAYEE = 96;
export const BLOCK_MASS = 144; // u64, sum over the transactions
export const BLOCK_PARENTS = 152; // u32 offset of the first id
export const BLOCK_PARENT_COUNT = 156; // u32
export const BLOCK_TRANSACTION_COUNT = 160; // u32
export const BLOCK_TRANSACTIONS = 168;

// One transaction of the table: the table of its own (`transaction/layout.ts`), whose offsets count from the first byte
// of the wire, and where the wire is. Those that were decoded have an entry, and the one at which decoding ends. What
// decodes has a signature at least, since the first input repeats no witness: a body has room for 19 of them, so that
// there are never more than 20 entries. The kernel stops before it would write behind `ENTRIES_MAX`.
export const ENTRY_WIRE = 416; // u32 offset
export const ENTRY_BYTES = 424;
export const ENTRIES_MAX = 64;
