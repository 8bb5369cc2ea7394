/**
 * The holder file beside a wallet's state: which process has the wallet open, for people and for the command line,
 * which sends its calls to a daemon that has it. The lock itself is SQLite's and ends with its process; the holder
 * file locks nothing.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

export interface Holder {
  readonly pid: number;
  /** The command that the process was started with, such as `daemon`. */
  readonly purpose: string;
  /** The address at which the daemon listens, once it does. */
  readonly url?: string;
  readonly tokenFile?: string;
  /** Of the daemon's own certificate, if it has one. */
  readonly fingerprint?: string;
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
      ...(typeof holder.fingerprint === 'string' ? { fingerprint: holder.fingerprint } : {}),
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
