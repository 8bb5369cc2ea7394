/**
 * Sizes and limits of cuts and of claims about them; `docs/protocol.md` 8.
 */
export { REGISTERED_BLOCKS_MAX, VALIDATORS_MAX } from '../../assembly/cut/layout.ts';

export const TARGET_BYTES = 32;
export const EVIDENCE_MAX = 4;
