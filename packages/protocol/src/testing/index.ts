/**
 * Slow and plain implementations for tests of this and other packages, and checks of proofs against a root that a test
 * computed itself. Not for production.
 */
export { checkCompletenessProof } from '../state/completeness-proof.ts';
export { checkOutputProof } from '../state/output-proof.ts';
export { checkTotalsProof } from '../state/totals-proof.ts';
export { outputKey, ReferenceTree } from './reference-tree.ts';
