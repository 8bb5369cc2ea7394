/**
 * What the parts of a node log through: a level, fields, a message. Text that comes from outside belongs in
 * a field, never into the message.
 */
export type LogFields = Readonly<Record<string, string | number | boolean | bigint | null>>;

export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** The same log for a part of its own, whose level can be set by name. */
  part(name: string): Log;
}

/** For tests and tools that want no log. */
export const SILENT: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  part: () => SILENT,
};
