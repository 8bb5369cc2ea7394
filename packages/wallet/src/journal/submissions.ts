/**
 * The way of transactions to the node: those that leave at the same moment go in one request, as far as it may be long. Who
 * submits one is answered for this one alone. Nothing is repeated here.
 */
import { SUBMISSIONS_MAX } from 'svc-api';
import type { Client, Submission, SubmissionOutcome } from 'svc-client';
import type { Reached } from './crash-points.ts';

export interface SubmissionPorts {
  readonly client: Pick<Client, 'submit' | 'submitMany'>;
  readonly reached: Reached;
}

/** A signed transaction in bytes, and its id. */
export type WireSubmission = Extract<Submission, { readonly wire: Uint8Array }>;

interface Waiting {
  readonly submission: WireSubmission;
  readonly outcome: PromiseWithResolvers<SubmissionOutcome>;
}

/** A node reads bodies of up to 128 KiB, and one that takes no bytes gets two characters for each; this leaves room for what is around the transactions. */
const REQUEST_BYTES_MAX = 60_000;

export class Submissions {
  readonly #ports: SubmissionPorts;
  readonly #waiting: Waiting[] = [];

  constructor(ports: SubmissionPorts) {
    this.#ports = ports;
  }

  /** Resolves and rejects as `submit` of the client. */
  submit(submission: WireSubmission): Promise<SubmissionOutcome> {
    const outcome = Promise.withResolvers<SubmissionOutcome>();
    this.#waiting.push({ submission, outcome });
    if (this.#waiting.length === 1) setImmediate(() => this.#sendAll());
    return outcome.promise;
  }

  #sendAll(): void {
    let some: Waiting[] = [];
    let bytes = 0;
    for (const each of this.#waiting.splice(0)) {
      const { length } = each.submission.wire;
      if (some.length === SUBMISSIONS_MAX || bytes + length > REQUEST_BYTES_MAX) {
        void this.#send(some);
        some = [];
        bytes = 0;
      }
      some.push(each);
      bytes += length;
    }
    void this.#send(some);
  }

  async #send(some: readonly Waiting[]): Promise<void> {
    const answered = this.#outcomes(some.map(({ submission }) => submission));
    this.#ports.reached('during_submit');
    try {
      const outcomes = await answered;
      for (const [at, { outcome }] of some.entries()) {
        const settled = outcomes[at] as PromiseSettledResult<SubmissionOutcome>;
        if (settled.status === 'fulfilled') outcome.resolve(settled.value);
        else outcome.reject(settled.reason);
      }
    } catch (error) {
      for (const { outcome } of some) outcome.reject(error);
    }
  }

  #outcomes(
    submissions: readonly Submission[],
  ): Promise<readonly PromiseSettledResult<SubmissionOutcome>[]> {
    const { client } = this.#ports;
    const [only, ...others] = submissions;
    return only === undefined || others.length > 0
      ? client.submitMany(submissions)
      : Promise.allSettled([client.submit(only)]);
  }
}
