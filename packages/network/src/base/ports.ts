/**
 * What the network takes from its host program: time and a log. Both have the shape that a node has already,
 * so that it hands over its own.
 */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Runs once after a delay; the answer cancels it. */
  after(delayMillis: number, run: () => void): () => void;
}

export type LogFields = Readonly<Record<string, string | number | boolean | bigint | null>>;

/** Text that comes from a peer belongs in a field, never into the message. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  after(delayMillis, run) {
    const timer = setTimeout(run, Math.max(0, delayMillis));
    return () => clearTimeout(timer);
  },
};

export const SILENT_LOG: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};

/** The message of whatever was thrown, short enough for a field of a log. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, 200);
}

/** Whatever was thrown, as an error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(messageOf(error));
}
