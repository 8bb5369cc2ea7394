/**
 * The holder file beside a wallet's state: which process has the wallet open, for people and for the command line,
 * which sends its calls to a daemon that has it. The lock itself is SQLite's and ends with its process; the holder
 * file locks nothing.
 */
import { rmSync } from 'node:fs';
import { FileRefusal } from '../file/file-refusal.ts';
import { readSecret, replaceSecret } from '../file/secret-file.ts';

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
  replaceSecret(path, new TextEncoder().encode(`${JSON.stringify(holder)}\n`));
}

/**
 * What the file says; undefined if it is not there or says nothing of use. Throws if somebody else can have written it:
 * it names where a token is sent.
 */
export function readHolder(path: string): Holder | undefined {
  try {
    const text = new TextDecoder().decode(readSecret(path));
    const holder = JSON.parse(text) as Partial<Holder>;
    if (typeof holder.pid !== 'number' || typeof holder.purpose !== 'string') return undefined;
    return {
      pid: holder.pid,
      purpose: holder.purpose,
      ...(typeof holder.url === 'string' ? { url: holder.url } : {}),
      ...(typeof holder.tokenFile === 'string' ? { tokenFile: holder.tokenFile } : {}),
      ...(typeof holder.fingerprint === 'string' ? { fingerprint: holder.fingerprint } : {}),
    };
  } catch (error) {
    if (error instanceof FileRefusal && error.fault !== 'missing') throw error;
    return undefined;
  }
}

export function forgetHolder(path: string): void {
  rmSync(path, { force: true });
}

/** In words; a file that is refused names nobody. */
export function describeHolder(path: string): string {
  try {
    const holder = readHolder(path);
    if (holder !== undefined) return `process ${holder.pid} (svc-wallet ${holder.purpose})`;
  } catch {
    // Whose file it is matters to those who would go by it.
  }
  return 'another process';
}
