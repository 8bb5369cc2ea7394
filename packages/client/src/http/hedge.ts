/**
 * Reads from several nodes: the first one is asked, the next one when no answer came for a while or the answer was an
 * error, and so on through the list once. The first good answer counts and ends the other calls. A refusal that
 * another node would repeat, such as that of a malformed id, is a good answer. Must not be used for submissions.
 */
import { ClientError } from '../client-error.ts';
import type { RetryPolicy } from './retry.ts';

export interface HedgeOptions {
  /** How long a node has before the next one is asked as well. */
  readonly hedgeMillis: number;
  readonly sleep: RetryPolicy['sleep'];
  readonly signal: AbortSignal | undefined;
}

/** One call for each node, in the order in which they are asked. The signal ends when the answer is no longer wanted. */
export type HedgedAttempt<T> = (signal: AbortSignal) => Promise<T>;

/** Throws the error of the first node if none has a good answer. */
export async function hedge<T>(
  attempts: readonly HedgedAttempt<T>[],
  { hedgeMillis, sleep, signal }: HedgeOptions,
): Promise<T> {
  const ending = new AbortController();
  const ended = signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal]);
  const errors = new Map<number, unknown>();
  const answered = new Promise<T>((resolve, reject) => {
    const ask = async (place: number): Promise<void> => {
      const attempt = attempts[place];
      if (attempt === undefined || ending.signal.aborted) return;
      const failing = new AbortController();
      const patience = sleep(hedgeMillis, AbortSignal.any([ended, failing.signal]));
      void patience.then(() => ask(place + 1));
      try {
        resolve(await attempt(ended));
      } catch (error) {
        errors.set(place, error);
        if (isAnswer(error)) reject(error);
        else if (errors.size === attempts.length) reject(errors.get(0));
        failing.abort();
      }
    };
    void ask(0);
  });
  try {
    return await answered;
  } finally {
    ending.abort();
  }
}

/** Whether the error says something about the request and nothing about the node. */
function isAnswer(error: unknown): boolean {
  if (!(error instanceof ClientError)) return true;
  const { kind, status = 0 } = error;
  return kind === 'aborted' || (kind === 'refused' && status < 500 && status !== 429);
}
