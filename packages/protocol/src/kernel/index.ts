/**
 * The kernel by itself: SHA-384, ML-DSA-65 and the proof of work. `init` of any entry loads it.
 */
export { keccakForm } from './current.ts';
export { ExpandedKey } from './expanded-key.ts';
export { KECCAK_FORMS, type KeccakForm } from './keccak-form.ts';
export {
  type KeyPair,
  type MlDsa65,
  mlDsa65,
  type SignOptions,
  type VerifyOptions,
} from './ml-dsa.ts';
export * as pow from './pow.ts';
export {
  POW_ITEM_BYTES,
  POW_PAGE_BYTES,
  POW_PERIOD_INTERVALS,
  POW_SIZES,
  type PowSizes,
} from './pow-parameters.ts';
export { meetsTarget, powInput } from './pow-search.ts';
export { powPeriod, powSeed } from './pow-seed.ts';
export { attachSharedPow, createSharedPow, type SharedPowOptions } from './pow-threads.ts';
export { sha384 } from './sha384.ts';
