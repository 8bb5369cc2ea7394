/**
 * The log of a node, on pino: levels by part, repeated lines limited, fields made safe.
 */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Logger, pino } from 'pino';
import type { Clock, Log, LogFields } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { type Level, type LogFilter, parseLogFilter, weight } from './filter.ts';
import { safeFields, safeText } from './log-text.ts';

const WAITS_MAX = 20;
const WAIT_MILLIS = 10;
const NEVER = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes lines to an open file before the call returns: whatever ends the process, they are there, and in
 * their order. A place that takes no more loses lines; it never stops or delays the node for long.
 */
export class LineWriter {
  readonly #file: number;
  /** The last line was not written whole. */
  #isTorn = false;
  /** The reader did not take the last line in time; the next ones are tried once each. */
  #isStuck = false;

  constructor(file: number) {
    this.#file = file;
  }

  write(line: string): void {
    const bytes = Buffer.from(this.#isTorn ? `\n${line}` : line);
    const written = this.#put(bytes);
    this.#isTorn = written > 0 ? written < bytes.length : this.#isTorn;
  }

  close(): void {
    closeSync(this.#file);
  }

  /** How many bytes were taken. */
  #put(bytes: Uint8Array): number {
    let at = 0;
    let waits = this.#isStuck ? WAITS_MAX : 0;
    while (at < bytes.length) {
      try {
        at += writeSync(this.#file, bytes, at);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return at;
        if (waits++ >= WAITS_MAX) {
          this.#isStuck = true;
          return at;
        }
        Atomics.wait(NEVER, 0, 0, WAIT_MILLIS);
      }
    }
    this.#isStuck = false;
    return at;
  }
}

const STANDARD_ERROR = 2;
const OWNER_ONLY = 0o600;

interface Destination {
  write(line: string): void;
  /** Opens the file anew, after a tool has moved it away. */
  reopen(): void;
}

interface DestinationOptions {
  readonly file: string | null;
  readonly pretty: boolean;
  readonly colour: boolean;
}

/**
 * Where log lines go: standard error, as people or programs read it, and a file if one is named. A place
 * that cannot be written to any more never stops the node.
 */
async function openDestination(options: DestinationOptions): Promise<Destination> {
  const { file } = options;
  const terminal = new LineWriter(STANDARD_ERROR);
  const shown = options.pretty ? await prettifier(options.colour) : (line: string) => line;
  let kept = file === null ? null : openFile(file);
  return {
    write(line) {
      terminal.write(shown(line));
      kept?.write(line);
    },
    reopen() {
      if (file === null) return;
      kept?.close();
      kept = openFile(file);
    },
  };
}

function openFile(file: string): LineWriter {
  mkdirSync(dirname(file), { recursive: true });
  return new LineWriter(openSync(file, 'a', OWNER_ONLY));
}

async function prettifier(colorize: boolean): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  const prettify = prettyFactory({
    colorize,
    singleLine: true,
    messageKey: 'message',
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat: '{if part}{part}: {end}{message}',
    ignore: 'part',
  });
  return (line) => prettify(line) ?? line;
}

export const LINES_MAX = 20;
export const WINDOW_MILLIS = 10_000;
const KEYS_MAX = 1_024;

interface Window {
  startedAt: number;
  written: number;
  suppressed: number;
}

/**
 * Keeps a line that repeats itself from filling the disk: so many in a time, then none until the time is
 * over. Lines are the same if their part, level and message are; fields do not count.
 */
export class LineLimit {
  readonly #now: () => number;
  readonly #windows = new Map<string, Window>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How many lines were left out before this one, or null if this one is left out too. */
  admit(key: string): number | null {
    const now = this.#now();
    const window = this.#windows.get(key);
    if (window === undefined) {
      this.#makeRoom();
      this.#windows.set(key, { startedAt: now, written: 1, suppressed: 0 });
      return 0;
    }
    if (now - window.startedAt >= WINDOW_MILLIS) {
      const { suppressed } = window;
      Object.assign(window, { startedAt: now, written: 1, suppressed: 0 });
      return suppressed;
    }
    if (window.written < LINES_MAX) {
      window.written++;
      return 0;
    }
    window.suppressed++;
    return null;
  }

  /** Lines that were left out and not reported yet, by key. */
  *pending(): Generator<[key: string, suppressed: number]> {
    for (const [key, { suppressed }] of this.#windows) if (suppressed > 0) yield [key, suppressed];
  }

  #makeRoom(): void {
    if (this.#windows.size < KEYS_MAX) return;
    const [oldest] = this.#windows.keys();
    if (oldest !== undefined) this.#windows.delete(oldest);
  }
}

interface NodeLogOptions extends DestinationOptions {
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
