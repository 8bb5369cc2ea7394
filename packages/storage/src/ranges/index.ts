/**
 * The state of a cut in ranges: written by a node that serves it, checked and put together by one that fetches it.
 */
export { expectManifest, expectRange } from './check-manifest.ts';
export { type CertifiedCut, importRanges } from './import-ranges.ts';
export { StateFiles } from './state-files.ts';
export {
  decodeManifest,
  MANIFEST_BYTES_MAX,
  manifestId,
  RANGE_BYTES_MAX,
  RANGES_MAX,
  type StateManifest,
} from './state-manifest.ts';
export { type PlanOptions, planState, RANGE_LEAVES_MAX, writeState } from './write-ranges.ts';
