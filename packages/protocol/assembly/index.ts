/**
 * The kernel's exports, one line for each part. See `docs/kernel.md` for the calling convention.
 */
export { heapBase, inBytes, inPointer, outBytes, outPointer } from './memory';
export * from './block/exports';
export * from './cut/exports';
export * from './tree/exports';
export * from './list/exports';
export { keccak256, keccak512 } from './hash/keccak';
export { keccakForm, keccakUseForm } from './hash/keccak-form';
export { sha384, sha384Begin, sha384End, sha384Update } from './hash/sha384';
export { mldsaExpand, mldsaExpandedKeyBytes } from './mldsa/expanded-key';
export { mldsaKeygen } from './mldsa/keygen';
export { mldsaSign, mldsaSignMu } from './mldsa/sign';
export { mldsaVerify, mldsaVerifyExpanded, mldsaVerifyMu } from './mldsa/verify';
export * from './pow/exports';
export * from './transaction/exports';
