/**
 * Submits transactions and finds out their status when the answer is lost.
 */
import type { TransactionStatus } from 'svc-api';
import { toHex } from 'svc-wasm/base';
import { ClientError } from './client-error.ts';
import type { Caller } from './http/transport.ts';
import type { CallOptions } from './routes/route-types.ts';

/** A signed transaction, in hexadecimal or in bytes, and its id. */
export type Submission = SubmissionId & ({ readonly wire_hex: string } | SubmittedBytes);

interface SubmissionId {
  /** As the protocol module computed it; never taken from the server. */
  readonly transaction_id: string;
}

export interface SubmittedBytes {
  /** Must not be changed before the submission has its outcome. */
  readonly wire: Uint8Array;
}

/** Whether the node took the transaction now or had it already. */
export type SubmissionOutcome = 'accepted' | 'known';

/**
 * Resolves once the server has the transaction. After a lost answer the status is asked for, and nothing is sent
 * again: an `answer_lost` error means that the outcome is unknown, and the caller continues with `status`.
 */
export async function submitTransaction(
  transport: Caller,
  submission: Submission,
  options: CallOptions = {},
): Promise<SubmissionOutcome> {
  const { transaction_id } = submission;
  try {
    const input = { wire_hex: hexOf(submission) };
    const receipt = await transport.call('transactionSubmit', input, options);
    if (receipt.transaction_id === transaction_id) return receipt.result;
    throw new ClientError('bad_answer', 'the server speaks of another transaction');
  } catch (error) {
    return await afterLostAnswer(transport, transaction_id, error, options);
  }
}

export function hexOf(submission: Submission): string {
  return 'wire' in submission ? toHex(submission.wire) : submission.wire_hex;
}

/** Queries the status of a submission whose answer is lost; any other error is rethrown. */
export async function afterLostAnswer(
  transport: Caller,
  id: string,
  error: unknown,
  options: CallOptions,
): Promise<SubmissionOutcome> {
  if (!(error instanceof ClientError) || error.kind !== 'answer_lost') throw error;
  const status = await statusOf(transport, id, options);
  if (status !== undefined && status.failure !== 'dropped') return 'known';
  throw error;
}

/** The status, or nothing if the server does not know the transaction or cannot be asked. */
async function statusOf(
  transport: Caller,
  id: string,
  options: CallOptions,
): Promise<TransactionStatus | undefined> {
  try {
    return await transport.call('transactionStatus', { id }, options);
  } catch (error) {
    if (error instanceof ClientError && error.kind !== 'aborted') return undefined;
    throw error;
  }
}
