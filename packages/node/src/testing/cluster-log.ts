/**
 * A log that keeps what it is told, for tests.
 */
import type { Log, LogFields } from 'svc-base/pure';

export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: LogFields;
  readonly message: string;
}

export class RecordedLog implements Log {
  readonly entries: LogEntry[] = [];

  debug(fields: LogFields, message: string): void {
    this.entries.push({ level: 'debug', fields, message });
  }

  info(fields: LogFields, message: string): void {
    this.entries.push({ level: 'info', fields, message });
  }

  warn(fields: LogFields, message: string): void {
    this.entries.push({ level: 'warn', fields, message });
  }

  error(fields: LogFields, message: string): void {
    this.entries.push({ level: 'error', fields, message });
  }

  part(): Log {
    return this;
  }
}
