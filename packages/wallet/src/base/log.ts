/**
 * What the wallet logs through. Text from outside (labels, payloads, answers of a node) belongs in a field,
 * never into the message; secrets belong in neither.
 */
export type LogFields = Readonly<Record<string, string | number | boolean | bigint | null>>;

export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export const SILENT: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};
