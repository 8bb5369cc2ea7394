/**
 * The messages between the main thread and a signature worker. A worker answers batches in the order in which
 * they came, one answer for each. The byte strings of a batch travel in one buffer, so that nothing is cloned:
 * their number, the length of each, then their bytes.
 */
import type { ErrorCode } from 'svc-wasm/base';

export interface WorkerSettings {
  readonly manifestJson: string;
}

export type JobKind = 'transactions' | 'messages';

/** The number of parts of a buffer that belong to one job. */
export const PARTS_PER_JOB: Readonly<Record<JobKind, number>> = { transactions: 4, messages: 1 };

export type WorkerRequest =
  | { readonly type: JobKind; readonly parts: ArrayBuffer }
  | { readonly type: 'set'; readonly encoded: Uint8Array };

/** Why a signature, or the bytes that it covers, are refused. */
export interface SignatureRefusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly path?: string;
}

export interface RefusedJob extends SignatureRefusal {
  /** The place of the job in its batch. */
  readonly index: number;
}

/** Jobs that are not named in `refused` hold. The buffer goes back to be used again. */
export type WorkerReply =
  | { readonly type: 'ready' }
  | { readonly type: 'done'; readonly refused: readonly RefusedJob[]; readonly parts: ArrayBuffer };

const LENGTH_BYTES = 4;

/** The bytes that the parts take in a buffer. */
export function packedBytes(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, LENGTH_BYTES * (1 + parts.length));
}

/** Writes the parts to the beginning of a buffer that has room for them. */
export function packParts(parts: readonly Uint8Array[], buffer: ArrayBuffer): void {
  const lengths = new Uint32Array(buffer, 0, 1 + parts.length);
  const bytes = new Uint8Array(buffer);
  lengths[0] = parts.length;
  let at = LENGTH_BYTES * lengths.length;
  parts.forEach((part, index) => {
    lengths[1 + index] = part.length;
    bytes.set(part, at);
    at += part.length;
  });
}

/** The parts of a buffer, as views of it. */
export function unpackParts(buffer: ArrayBuffer): Uint8Array[] {
  const [count = 0] = new Uint32Array(buffer, 0, 1);
  const lengths = new Uint32Array(buffer, LENGTH_BYTES, count);
  let at = LENGTH_BYTES * (1 + count);
  return Array.from(lengths, (length) => {
    const part = new Uint8Array(buffer, at, length);
    at += length;
    return part;
  });
}
