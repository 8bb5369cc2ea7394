/**
 * Decides when a request is sent again. Reads are repeated after a lost answer and when the server asks to wait; a
 * submission is repeated only when the server said that it did not accept it.
 */
import { ClientError, isBusy } from '../client-error.ts';

/** How often and how long reads are repeated. */
export interface RetryPolicy {
  /** How often a request is sent again. */
  readonly retries: number;
  /** Longer waits that a server asks for are left to the caller. */
  readonly waitMillisMax: number;
  sleep(millis: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

const FIRST_WAIT_MILLIS = 250;

export async function withRetries<T>(
  policy: RetryPolicy,
  isSubmission: boolean,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let made = 0; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      const wait = waitBefore(error, made, isSubmission, policy);
      if (wait === undefined) throw isSubmission ? asSubmission(error) : error;
      await policy.sleep(wait, signal);
      if (signal?.aborted === true) throw new ClientError('aborted', 'the caller ended it');
    }
  }
}

function waitBefore(
  error: ClientError,
  made: number,
  isSubmission: boolean,
  policy: RetryPolicy,
): number | undefined {
  if (made >= policy.retries) return undefined;
  const backoff = FIRST_WAIT_MILLIS * 2 ** made * (0.5 + policy.random());
  if (isBusy(error)) {
    const wait = (error.retryAfterMillis ?? backoff) + policy.random() * FIRST_WAIT_MILLIS;
    return wait <= policy.waitMillisMax ? wait : undefined;
  }
  const isLost =
    error.kind === 'unreachable' || (error.status !== undefined && error.status >= 500);
  return isLost && !isSubmission ? Math.min(backoff, policy.waitMillisMax) : undefined;
}

/** The error of a submission that may still have reached the server. */
function asSubmission(error: ClientError): ClientError {
  const mayHaveArrived =
    error.kind === 'unreachable' ||
    error.kind === 'bad_answer' ||
    error.kind === 'unverified' ||
    (error.status !== undefined && error.status >= 500 && error.status !== 503);
  if (!mayHaveArrived) return error;
  return new ClientError('answer_lost', `the submission may have arrived: ${error.message}`, {
    cause: error,
  });
}
