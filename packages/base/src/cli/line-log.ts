/**
 * The log of a program: one line an event on standard error, as JSON for machines or as plain text on a terminal.
 * Text from outside is in fields alone, which JSON escapes.
 */
import type { Clock } from '../pure/clock.ts';
import type { Log, LogFields } from '../pure/log.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LEVELS)[number];

export interface LineLogOptions {
  readonly level: LogLevel;
  readonly isJson: boolean;
  readonly write: (line: string) => void;
}

export function isLogLevel(level: string): level is LogLevel {
  return LEVELS.some((each) => each === level);
}

export function createLineLog(clock: Pick<Clock, 'now'>, options: LineLogOptions, part = ''): Log {
  const least = LEVELS.indexOf(options.level);
  const line = (level: LogLevel) => (fields: LogFields, message: string) => {
    if (LEVELS.indexOf(level) < least) return;
    const time = new Date(clock.now()).toISOString();
    const named = part === '' ? {} : { part };
    const rest = JSON.stringify(fields, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    const record = { time, level, ...named, message };
    const text = options.isJson
      ? `${JSON.stringify(record).slice(0, -1)},"fields":${rest}}`
      : `${time.slice(11, 19)} ${level.padEnd(5)} ${message} ${rest === '{}' ? '' : rest}`.trimEnd();
    options.write(`${text}\n`);
  };
  return {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    part: (name) => createLineLog(clock, options, name),
  };
}
