/**
 * The logger of every part: a level, fields, a message. Text that comes from outside (peers, clients, labels)
 * belongs in a field, never into the message; secrets belong in neither.
 */
export type LogFields = Readonly<Record<string, string | number | boolean | bigint | null>>;

export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** The same log for a part of the program, whose level can be set by this name. */
  part(name: string): Log;
}

/** Drops every line: for tests and tools that want no log. */
export const SILENT_LOG: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  part: () => SILENT_LOG,
};
