/**
 * Sizes and limits of cuts and of what is said about them; `docs/protocol.md` 8.
 */
export const TARGET_BYTES = 32;

export const VALIDATORS_MAX = 64;
export const REGISTERED_BLOCKS_MAX = 256;
export const EVIDENCE_MAX = 4;
