/**
 * What the state trees export.
 */
export { treeBuckets, treeLeaves, treeNodes } from './buckets';
export { treeOutputs, treeRootBegin, treeRootEnd, treeRootPush } from './batch';
export { completenessProofCheck } from './completeness-proof';
export { outputProofCheck } from './output-proof';
