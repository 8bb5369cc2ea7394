/**
 * What command lines share: the scaffold of a program, exit codes, errors and output.
 */
export { CliError, type CliErrorOptions } from './cli-error.ts';
export {
  type CommandLineOptions,
  createProgram,
  describeCliFailure,
  executeCommandLine,
  type ProgramOptions,
} from './command-line.ts';
export { EXIT, type ExitCode } from './exit-codes.ts';
export { createLineLog, type LineLogOptions, type LogLevel } from './line-log.ts';
export { collect, parseBind, usageError } from './option-values.ts';
export {
  type Complaint,
  columns,
  complain,
  note,
  printable,
  result,
  resultJson,
  styled,
} from './output.ts';
export {
  openProgramLog,
  type ServingProgram,
  type StopOptions,
  type StopSignal,
  serveProgram,
  stopSignal,
} from './program-life.ts';
