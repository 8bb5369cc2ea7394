/**
 * The miner's kernel: the proof of work alone, compiled for a memory that threads share. It must
 * not use static memory for anything that changes.
 */
export { heapBase } from './memory';
export { keccakForm, keccakUseForm } from './hash/keccak-form';
export * from './pow/exports';
