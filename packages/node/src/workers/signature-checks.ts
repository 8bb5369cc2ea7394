/**
 * Signature checks as a node uses them: in threads, or in the calling thread.
 */
import type { SignatureVerdict } from 'svc-consensus/machine';
import type { VerifyRequest } from 'svc-wasm/protocol';
import type { Priority } from './job-queue.ts';
import type { SignatureRefusal } from './thread-messages.ts';

/**
 * Reasons why the workers cannot say whether a signature holds. None of them says anything about the signature.
 */
export class WorkersError extends Error {
  override readonly name: string = 'WorkersError';
}

export class WorkersBusyError extends WorkersError {
  override readonly name = 'WorkersBusyError';
}

export class WorkersClosedError extends WorkersError {
  override readonly name = 'WorkersClosedError';
}

/** Two workers died over the same job, or none can be started. */
export class WorkerDiedError extends WorkersError {
  override readonly name = 'WorkerDiedError';
}

export interface SignatureChecks {
  /** The number of pending checks. */
  readonly waiting: number;
  hasRoom(priority: Priority): boolean;
  /** Resolves when there is room in a line, for callers that can wait. */
  room(priority: Priority): Promise<void>;
  /** Decodes and checks a transaction with all its signatures; null if it holds. */
  checkTransaction(request: VerifyRequest, priority: Priority): Promise<SignatureRefusal | null>;
  /** Checks proposals, votes and certificates, each behind its tag, against the sets learnt. */
  checkMessages(messages: readonly Uint8Array[]): Promise<SignatureVerdict[]>;
  /** Learns a validator set, whose members' messages can then be checked. */
  learnSet(encoded: Uint8Array): void;
  /** Checks without an answer are rejected. */
  close(): Promise<void>;
}
