/**
 * Sizes of the state trees' records; `docs/protocol.md` 9.
 */
export const KEY_BYTES = 64;
export const HASH_BYTES = 48;
export const SUBTREE_BYTES = 64;
export const OUTPUT_VALUE_BYTES = 109;
/** A key followed by the subtree below it. */
export const KEYED_SUBTREE_BYTES = KEY_BYTES + SUBTREE_BYTES;

export const KEY_BITS = 512;
/** Bits of an output's key that its address decides. */
export const PREFIX_BITS = 256;

/** The numbers of the trees. */
export const TREES = { outputs: 1, positions: 2, validators: 3, keys: 4 } as const;
export type Tree = keyof typeof TREES;

export const EMPTY_SUBTREE: Uint8Array = new Uint8Array(SUBTREE_BYTES);
