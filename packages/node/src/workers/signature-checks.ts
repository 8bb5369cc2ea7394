/**
 * What a node asks of whoever checks signatures for it: threads, or the thread that asks.
 */
import type { SignatureVerdict } from 'svc-consensus/machine';
import type { VerifyRequest } from 'svc-wasm/protocol';
import type { Priority } from './job-queue.ts';
import type { SignatureRefusal } from './thread-messages.ts';

export interface SignatureChecks {
  /** The number of checks that nobody works on yet. */
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
