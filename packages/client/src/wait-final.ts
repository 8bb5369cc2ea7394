/**
 * Waits until nothing more happens to a transaction. Final are `finalized`, and `failed` with `conflict` or `expired` in
 * a finalized cut. A transaction that the node dropped or found invalid ends the wait as well, and so does an id that the
 * node does not know for a while.
 */
import { ClientError } from './client-error.ts';
import type { RetryPolicy } from './http/retry.ts';
import type { Transport } from './http/transport.ts';
import type { AnswerOf, CallOptions } from './routes/route-types.ts';

export interface WaitOptions extends CallOptions {
  readonly pollMillis?: number;
  /** How often in a row the node may not know the transaction: a submission can be under way to it. */
  readonly unknownPollsMax?: number;
}

const POLL_MILLIS = 500;
const UNKNOWN_POLLS_MAX = 20;

export async function waitFinal(
  transport: Transport,
  policy: RetryPolicy,
  id: string,
  options: WaitOptions = {},
): Promise<AnswerOf<'transactionStatus'>> {
  const { pollMillis = POLL_MILLIS, unknownPollsMax = UNKNOWN_POLLS_MAX, signal } = options;
  const call = signal === undefined ? {} : { signal };
  for (let unknown = 0; ; ) {
    try {
      const status = await transport.call('transactionStatus', { id }, call);
      if (isFinal(status) || isLost(status)) return status;
      unknown = 0;
    } catch (error) {
      if (!(error instanceof ClientError) || endsWait(error)) throw error;
      if (error.status === 404 && ++unknown >= unknownPollsMax) throw error;
    }
    await policy.sleep(pollMillis, signal);
    if (signal?.aborted === true) throw new ClientError('aborted', 'the caller ended it');
  }
}

/** A refusal that asking again does not change, such as that of a malformed id. */
function endsWait({ kind, status }: ClientError): boolean {
  if (kind === 'aborted' || kind === 'unverified') return true;
  return kind === 'refused' && status !== 404 && status !== 429 && (status ?? 0) < 500;
}

/** The node does not try the transaction any more. Another node may, until it has expired. */
function isLost({ failure }: AnswerOf<'transactionStatus'>): boolean {
  return failure === 'dropped' || failure === 'invalid';
}

export function isFinal(status: AnswerOf<'transactionStatus'>): boolean {
  if (status.lifecycle === 'finalized') return true;
  const { failure, finalized_cut } = status;
  return (failure === 'conflict' || failure === 'expired') && finalized_cut !== null;
}
