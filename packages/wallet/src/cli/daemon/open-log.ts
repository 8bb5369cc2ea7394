/**
 * The log of a daemon: lines of JSON on standard error. Text from outside stays inside JSON strings.
 */
import { pino } from 'pino';
import type { Log, LogFields } from 'svc-base/pure';

const STANDARD_ERROR = 2;

export function openLog(level: 'info' | 'warn'): Log {
  const logger = pino(
    { level, base: null, messageKey: 'message', timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: STANDARD_ERROR, sync: true }),
  );
  const log: Log = {
    debug: (fields, message) => logger.debug(plain(fields), message),
    info: (fields, message) => logger.info(plain(fields), message),
    warn: (fields, message) => logger.warn(plain(fields), message),
    error: (fields, message) => logger.error(plain(fields), message),
    // Levels of single parts cannot be set here.
    part: () => log,
  };
  return log;
}

function plain(fields: LogFields): object {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? String(value) : value,
  ]);
  return Object.fromEntries(entries) as object;
}
