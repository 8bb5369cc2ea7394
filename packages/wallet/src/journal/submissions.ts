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

interface Waiting {
  readonly submission: Submission;
  readonly outcome: PromiseWithResolvers<SubmissionOutcome>;
}

/** A node reads bodies of up to 128 KiB; this leaves room for what is around the transactions. */
const REQUEST_CHARACTERS_MAX = 120_000;

export class Submissions {
  readonly #ports: SubmissionPorts;
  readonly #waiting: Waiting[] = [];

  constructor(ports: SubmissionPorts) {
    this.#ports = ports;
  }

  /** Resolves and rejects as `submit` of the client. */
  submit(submission: Submission): Promise<SubmissionOutcome> {
    const outcome = Promise.withResolvers<SubmissionOutcome>();
    this.#waiting.push({ submission, outcome });
    if (this.#waiting.length === 1) setImmediate(() => this.#sendAll());
    return outcome.promise;
  }

  #sendAll(): void {
    let some: Waiting[] = [];
    let characters = 0;
    for (const each of this.#waiting.splice(0)) {
      const { length } = each.submission.wire_hex;
      if (some.length === SUBMISSIONS_MAX || characters + length > REQUEST_CHARACTERS_MAX) {
        void this.#send(some);
        some = [];
        characters = 0;
      }
      some.push(each);
      characters += length;
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
