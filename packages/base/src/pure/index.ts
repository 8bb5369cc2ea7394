/**
 * What pure packages and shells share. Nothing here touches the world: no `node:*`, no clock, no timer.
 */
export { crc32 } from './append-log/crc32.ts';
export { type LogStorage, LogWriter } from './append-log/log-writer.ts';
export {
  type LogPart,
  type LogReading,
  type LogSource,
  lastRecord,
  readLog,
  scanLog,
} from './append-log/read-log.ts';
export {
  decodeHeader,
  decodeRecord,
  encodeHeader,
  encodeRecord,
  type LogRecord,
  RECORD_HEAD_BYTES,
} from './append-log/record.ts';
export { type Clock, sleep } from './clock.ts';
export { asError, messageOf } from './errors.ts';
export { type Log, type LogFields, SILENT_LOG } from './log.ts';
export {
  Histogram,
  METRICS_CONTENT_TYPE,
  type Metric,
  metricsText,
  type Sample,
} from './metrics.ts';
export { afterRunning } from './patience.ts';
export { Signal } from './signal.ts';
export { systemTrouble } from './system-trouble.ts';
export { type Rate, TokenBucket } from './token-bucket.ts';
