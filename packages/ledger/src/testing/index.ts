/**
 * Stand-ins for the store, for tests and simulations.
 */
export { MemoryState } from './memory-state.ts';
export { MemoryTrees } from './memory-trees.ts';
export { withInterval } from './with-interval.ts';
