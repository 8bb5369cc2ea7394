/**
 * What the state trees export.
 */
export { treeBuckets } from './buckets';
export { treeNodes, treeOutputs, treeRootBegin, treeRootEnd, treeRootPush } from './batch';
export { completenessProofCheck } from './completeness-proof';
export { outputProofCheck } from './output-proof';
