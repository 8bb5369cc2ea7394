/**
 * What tests of every package share.
 */
export { askAsHost } from './ask-as-host.ts';
export { connectionEnd, dataOrEnd } from './connection-ends.ts';
export {
  expectNoInspector,
  listeningPorts,
  type ProbedProgram,
  type Read,
  readAfterSignal,
} from './inspector-probe.ts';
export { ManualClock } from './manual-clock.ts';
export { metricProblems } from './metric-problems.ts';
export { openFilesIn } from './open-files.ts';
export { passedVariables } from './passed-variables.ts';
export { PROGRAM_NAMES, PROGRAMS_VARIABLE, type ProgramName, programPath } from './program-path.ts';
export { expectGoodMetrics, promtoolComplaints, withoutPromtool } from './promtool.ts';
export {
  MEMORY_PARENT,
  removeAbandoned,
  type TestEnd,
  temporaryDirectory,
} from './temporary-directory.ts';
export { until } from './until.ts';
