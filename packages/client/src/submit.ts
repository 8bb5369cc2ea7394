/**
 * Submits a transaction and finds out what became of it when the answer is lost.
 */
import type { TransactionStatus } from 'svc-api';
import { ClientError } from './client-error.ts';
import type { Caller } from './http/transport.ts';
import type { CallOptions } from './routes/route-types.ts';

/** A signed transaction and its id. */
export interface Submission {
  readonly wire_hex: string;
  /** As the protocol module computed it; never taken from the server. */
  readonly transaction_id: string;
}

/** Whether the node took the transaction now or had it already. */
export type SubmissionOutcome = 'accepted' | 'known';

/**
 * Resolves once the server has the transaction. After a lost answer the status is asked for, and nothing is
 * sent again: an `answer_lost` error means that nobody knows, and the caller goes on with `status`.
 */
export async function submitTransaction(
  transport: Caller,
  { wire_hex, transaction_id }: Submission,
  options: CallOptions = {},
): Promise<SubmissionOutcome> {
  try {
    const receipt = await transport.call('transactionSubmit', { wire_hex }, options);
    if (receipt.transaction_id === transaction_id) return receipt.result;
    throw new ClientError('bad_answer', 'the server speaks of another transaction');
  } catch (error) {
    if (!(error instanceof ClientError) || error.kind !== 'answer_lost') throw error;
    const status = await statusOf(transport, transaction_id, options);
    if (status !== undefined && status.failure !== 'dropped') return 'known';
    throw error;
  }
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
