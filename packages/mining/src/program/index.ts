/**
 * What serving programs share: their log, their life from start to signal, and values of their command lines.
 */
export { collect, parseBind, usageError } from './option-values.ts';
export { openProgramLog, type ServingProgram, serveProgram } from './serve-program.ts';
