/**
 * What the main thread and a signature worker say to each other. A worker answers batches in the order they
 * came, one answer for each.
 */
import type { ErrorCode } from 'svc-wasm/base';

export interface WorkerSettings {
  readonly manifestJson: string;
}

export type JobKind = 'transactions' | 'messages';

/** How many parts of a buffer belong to one job. */
export const PARTS_PER_JOB: Readonly<Record<JobKind, number>> = { transactions: 4, messages: 1 };

export type WorkerRequest =
  | { readonly type: JobKind; readonly parts: ArrayBuffer }
  | { readonly type: 'set'; readonly encoded: Uint8Array };

/** Why a signature, or what it covers, does not hold. */
export interface SignatureRefusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly path?: string;
}

export interface RefusedJob extends SignatureRefusal {
  /** The place of the job in its batch. */
  readonly index: number;
}

/** Jobs that are not named hold. The buffer goes back to be used again. */
export type WorkerReply =
  | { readonly type: 'ready' }
  | { readonly type: 'done'; readonly refused: readonly RefusedJob[]; readonly parts: ArrayBuffer };
