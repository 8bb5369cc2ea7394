/**
 * The log of a node, on pino: levels by part, repeated lines limited, fields made safe.
 */
import { type Logger, pino } from 'pino';
import type { Clock, Log, LogFields } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { type DestinationOptions, openDestination } from './destination.ts';
import { type Level, type LogFilter, parseLogFilter, weight } from './filter.ts';
import { LineLimit } from './line-limit.ts';
import { safeFields, safeText } from './log-text.ts';

export interface NodeLogOptions extends DestinationOptions {
  /** As `parseLogFilter` reads it. */
  readonly filter: string;
  readonly clock?: Clock;
}

export interface NodeLog {
  readonly log: Log;
  reopen(): void;
  /** Writes how many lines were left out since the last line of their kind. */
  close(): void;
}

interface Sink {
  readonly pino: Logger;
  readonly filter: LogFilter;
  readonly limit: LineLimit;
}

type LineLevel = Exclude<Level, 'off'>;

export async function openNodeLog(options: NodeLogOptions): Promise<NodeLog> {
  const filter = parseLogFilter(options.filter);
  const destination = await openDestination(options);
  const clock = options.clock ?? SYSTEM_CLOCK;
  const limit = new LineLimit(() => clock.now());
  const logger = pino(
    {
      base: null,
      level: 'debug',
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  return {
    log: new PartLog({ pino: logger, filter, limit }, ''),
    reopen: () => destination.reopen(),
    close() {
      for (const [key, suppressed] of limit.pending()) logger.warn({ suppressed }, key);
    },
  };
}

class PartLog implements Log {
  readonly #sink: Sink;
  readonly #name: string;
  readonly #least: number;

  constructor(sink: Sink, name: string) {
    this.#sink = sink;
    this.#name = name;
    this.#least = weight(sink.filter.levelOf(name));
  }

  debug(fields: LogFields, message: string): void {
    this.#write('debug', fields, message);
  }

  info(fields: LogFields, message: string): void {
    this.#write('info', fields, message);
  }

  warn(fields: LogFields, message: string): void {
    this.#write('warn', fields, message);
  }

  error(fields: LogFields, message: string): void {
    this.#write('error', fields, message);
  }

  part(name: string): Log {
    return new PartLog(this.#sink, this.#name === '' ? name : `${this.#name}.${name}`);
  }

  #write(level: LineLevel, fields: LogFields, message: string): void {
    if (weight(level) < this.#least) return;
    const suppressed = level === 'debug' ? 0 : this.#sink.limit.admit(this.#keyOf(message));
    if (suppressed === null) return;
    const line = {
      ...(this.#name === '' ? {} : { part: this.#name }),
      ...safeFields(fields),
      ...(suppressed === 0 ? {} : { suppressed }),
    };
    this.#sink.pino[level](line, safeText(message));
  }

  /** The key that repeated lines are counted under, by part and message; debug lines are never limited. */
  #keyOf(message: string): string {
    return this.#name === '' ? message : `${this.#name}: ${message}`;
  }
}
