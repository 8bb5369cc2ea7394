/**
 * Slow and plain implementations for tests of this and other packages. Not for production.
 */
export { outputKey, ReferenceTree } from './reference-tree.ts';
