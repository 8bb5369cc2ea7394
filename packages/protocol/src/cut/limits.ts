/**
 * Sizes and limits of cuts and of what is said about them; `docs/protocol.md` 8.
 */
export const ID_BYTES = 48;
export const PUBLIC_KEY_BYTES = 1952;
export const SIGNATURE_BYTES = 3309;
export const TARGET_BYTES = 32;

export const VALIDATORS_MAX = 64;
export const REGISTERED_BLOCKS_MAX = 256;
export const BLOCK_BODY_BYTES_MAX = 64_000;
export const EVIDENCE_MAX = 4;

/** No amount and no sum of amounts exceeds the maximum supply. */
export const SUPPLY_MAX = 20_000_000_000_000_000n;
