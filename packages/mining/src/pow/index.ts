/**
 * The proof of work on one machine: which dataset a header needs, datasets in shared memory and on disk, and
 * threads that hash, check and search. The hash itself is the kernel's, in `svc-wasm`.
 */
export {
  chainDatasetFolder,
  datasetPath,
  removeOldDatasets,
  userDatasetFolder,
} from './dataset-folder.ts';
export { DatasetMaker, type DatasetRequest, type SharedDataset } from './dataset-maker.ts';
export { askForDatasetPages } from './dataset-pages.ts';
export { FullPow, type FullPowOptions } from './full-pow.ts';
export type { LentDataset, SearchAnswer, SearchRange } from './hash-thread.ts';
export { LightPow, PowBusyError } from './light-pow.ts';
export { type PowKey, PowPeriods, type PowPeriodsOptions, targetOf } from './pow-periods.ts';
export type { ProofOfWork, WorkVerdict } from './proof-of-work.ts';
export { SearchThread } from './search-thread.ts';
export { serveOrders } from './serve-orders.ts';
export { type PowOptions, startPow } from './start-pow.ts';
export { Thread } from './thread.ts';
