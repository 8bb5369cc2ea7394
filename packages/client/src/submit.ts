/**
 * Submits transactions and finds out what became of them when the answer is lost.
 */
import type { SubmissionReceipt, TransactionStatus } from 'svc-api';
import { ClientError, isBusy } from './client-error.ts';
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
    return await afterLostAnswer(transport, transaction_id, error, options);
  }
}

/**
 * Submits several transactions in one request. Each has its own outcome, as `submitTransaction` would have it; what is wrong
 * with the request as a whole is the outcome of all.
 */
export async function submitTransactions(
  transport: Caller,
  submissions: readonly Submission[],
  options: CallOptions = {},
): Promise<PromiseSettledResult<SubmissionOutcome>[]> {
  const wires_hex = submissions.map(({ wire_hex }) => wire_hex);
  let receipts: readonly SubmissionReceipt[];
  try {
    ({ receipts } = await transport.call('transactionsSubmit', { wires_hex }, options));
  } catch (error) {
    // The refusal is about the request: the node has no such route, or the request is too long for it.
    const isRequestRefused = error instanceof ClientError && error.kind === 'refused';
    if (isRequestRefused && !isBusy(error)) return await oneByOne(transport, submissions, options);
    const outcome = async ({ transaction_id }: Submission): Promise<SubmissionOutcome> =>
      await afterLostAnswer(transport, transaction_id, error, options);
    return await Promise.allSettled(submissions.map(outcome));
  }
  const outcomes = submissions.map(async (submission, at) => outcomeOf(submission, receipts[at]));
  return await Promise.allSettled(outcomes);
}

async function oneByOne(
  transport: Caller,
  submissions: readonly Submission[],
  options: CallOptions,
): Promise<PromiseSettledResult<SubmissionOutcome>[]> {
  const outcomes: PromiseSettledResult<SubmissionOutcome>[] = [];
  for (const submission of submissions) {
    outcomes.push(
      ...(await Promise.allSettled([submitTransaction(transport, submission, options)])),
    );
  }
  return outcomes;
}

function outcomeOf(
  { transaction_id }: Submission,
  receipt: SubmissionReceipt | undefined,
): SubmissionOutcome {
  const refusal = receipt?.refusal ?? null;
  if (refusal !== null) {
    const { error, retry_after_millis: retryAfterMillis, status } = refusal;
    const { message, ...about } = error;
    const wait = retryAfterMillis === undefined ? {} : { retryAfterMillis };
    throw new ClientError('refused', message, { status, ...about, ...wait });
  }
  const isMeant = receipt?.transaction_id === transaction_id;
  if (isMeant && receipt.result !== 'refused') return receipt.result;
  throw new ClientError('bad_answer', 'the server speaks of another transaction');
}

/** Asks what became of a submission whose answer is lost; any other error is thrown again. */
async function afterLostAnswer(
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
