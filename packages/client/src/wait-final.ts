/**
 * Waits until the status of a transaction is final. Final are `finalized`, and `failed` with `conflict` or `expired`
 * in a finalized cut; every other status only tells what the server has seen so far.
 */
import { ClientError } from './client-error.ts';
import type { RetryPolicy } from './http/retry.ts';
import type { Transport } from './http/transport.ts';
import type { AnswerOf, CallOptions } from './routes/route-types.ts';

export interface WaitOptions extends CallOptions {
  readonly pollMillis?: number;
}

const POLL_MILLIS = 500;

export async function waitFinal(
  transport: Transport,
  policy: RetryPolicy,
  id: string,
  { pollMillis = POLL_MILLIS, signal }: WaitOptions = {},
): Promise<AnswerOf<'transactionStatus'>> {
  const options = signal === undefined ? {} : { signal };
  for (;;) {
    try {
      const status = await transport.call('transactionStatus', { id }, options);
      if (isFinal(status)) return status;
    } catch (error) {
      const isGone = error instanceof ClientError && error.kind === 'aborted';
      if (isGone || !(error instanceof ClientError)) throw error;
    }
    await policy.sleep(pollMillis, signal);
    if (signal?.aborted === true) throw new ClientError('aborted', 'the caller ended it');
  }
}

export function isFinal(status: AnswerOf<'transactionStatus'>): boolean {
  if (status.lifecycle === 'finalized') return true;
  const { failure, finalized_cut } = status;
  return (failure === 'conflict' || failure === 'expired') && finalized_cut !== null;
}
