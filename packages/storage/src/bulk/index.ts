/**
 * Tools for states that arrive at once. Not for a store in use.
 */
export { type BulkOutput, writeOutputsInBulk } from './bulk-outputs.ts';
export { writeRecordsInBulk } from './bulk-records.ts';
export { rebuildOutputs, rebuildRecordTrees } from './rebuild.ts';
export { sealState } from './seal-state.ts';
