/**
 * Who holds a wallet's state: a note beside it for people and for the command line, which sends its calls to
 * a daemon that holds the wallet. The lock itself is SQLite's and ends with its process; the note alone locks
 * nothing.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

export interface Holder {
  readonly pid: number;
  /** What it runs, such as `daemon`. */
  readonly purpose: string;
  /** Where a daemon listens, once it does. */
  readonly url?: string;
  readonly tokenFile?: string;
}

export function writeHolder(path: string, holder: Holder): void {
  writeFileSync(path, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
}

export function readHolder(path: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(path, 'utf8')) as Partial<Holder>;
    if (typeof holder.pid !== 'number' || typeof holder.purpose !== 'string') return undefined;
    return {
      pid: holder.pid,
      purpose: holder.purpose,
      ...(typeof holder.url === 'string' ? { url: holder.url } : {}),
      ...(typeof holder.tokenFile === 'string' ? { tokenFile: holder.tokenFile } : {}),
    };
  } catch {
    return undefined;
  }
}

export function forgetHolder(path: string): void {
  rmSync(path, { force: true });
}

export function describeHolder(holder: Holder | undefined): string {
  return holder === undefined
    ? 'another process'
    : `process ${holder.pid} (svc-wallet ${holder.purpose})`;
}
