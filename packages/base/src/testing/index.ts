/**
 * What tests of every package share.
 */
export { ManualClock } from './manual-clock.ts';
export { type TestEnd, temporaryDirectory } from './temporary-directory.ts';
export { until } from './until.ts';
