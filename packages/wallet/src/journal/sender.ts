/**
 * Sends recorded transactions to the node: always the recorded bytes, and never others for the same request. A
 * transaction that the node refused at the first attempt is never sent again, so that the refusal stays true; one
 * that may have arrived is sent until the chain has decided or a cancellation of it was recorded. While the node is
 * busy, and so certainly has nothing, transactions stand in line for it; one that its mempool has no room for waits
 * alone.
 */

import { SUBMISSIONS_MAX } from 'svc-api';
import { type Clock, type Log, sleep } from 'svc-base/pure';
import {
  type Client,
  ClientError,
  isBusy,
  type Submission,
  type SubmissionOutcome,
} from 'svc-client';
import type { JournalTransaction } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import type { Reached } from './crash-points.ts';
import { auditTransaction } from './record.ts';

/** `waiting`: the node took the transaction at no attempt and did not refuse it, so that it certainly does not have it. */
type SendOutcome = 'known' | 'refused' | 'unknown' | 'waiting';

type Answer =
  | { readonly type: 'known' | 'unknown' | 'waiting' }
  | { readonly type: 'refused'; readonly error: ClientError };

/** `busy`: the node takes nothing now, from any client or from this wallet. */
type Attempt = Answer | { readonly type: 'busy' };

interface SendOptions {
  /** How long a transaction is tried again while the node is busy. */
  readonly patienceMillis?: number;
}

/** A transaction that has just been recorded, together with its first attempt. */
export interface NewRecord {
  readonly id: number;
  readonly transactionId: string;
  readonly wire: Uint8Array;
}

/** A transaction, and what happened to it before the attempt that is being made. */
type Attempted = Pick<JournalTransaction, 'id' | 'transactionId' | 'attempts' | 'unanswered'>;

export interface SenderPorts {
  readonly state: State;
  readonly client: Pick<Client, 'transactionStatus'>;
  readonly submissions: Pick<Submissions, 'submit'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly reached: Reached;
  /** Called before a transaction leaves: brings it to the disk. What it throws keeps the transaction here. */
  beforeSend(): Promise<void>;
}

/** How long a caller waits with its transaction for a busy node; the transaction then waits alone. */
const PATIENCE_MILLIS = 10_000;
const BUSY_WAIT_MILLIS_MAX = 2_000;
const BUSY_WAIT_MILLIS = 500;

/** The node refuses transactions whose validity has not begun by its own, perhaps older, head: it will take them later. */
const TOO_EARLY = 'not_yet_valid';
/** The node has no room for a transaction that pays this little; others may find room. */
const NO_ROOM = 'mempool_full';

export class Sender {
  readonly #ports: SenderPorts;
  readonly #sending = new Map<number, Promise<SendOutcome>>();
  /** The end of the line of transactions that wait for a busy node, and when the first of them is tried again (monotonic). */
  #line: Promise<void> = Promise.resolve();
  #inLine = 0;
  #nextTryMillis = 0;

  constructor(ports: SenderPorts) {
    this.#ports = ports;
  }

  /** Whether transactions stand in line, or the node was busy and the time that it asked for has not passed. */
  get isNodeBusy(): boolean {
    return this.#inLine > 0 || this.#ports.clock.monotonic() < this.#nextTryMillis;
  }

  /** Sends a transaction once. If the node is busy, it is tried again for a while. */
  send(id: number, { patienceMillis = PATIENCE_MILLIS }: SendOptions = {}): Promise<SendOutcome> {
    return this.#once(id, () => this.#sendRecorded(id, patienceMillis));
  }

  /** As `send`, for a transaction of which nothing has to be read again. */
  sendNew({ id, transactionId, wire }: NewRecord): Promise<SendOutcome> {
    const attempted = { id, transactionId, attempts: 0, unanswered: 0 };
    return this.#once(id, () => this.#send(attempted, wire, PATIENCE_MILLIS));
  }

  #once(id: number, send: () => Promise<SendOutcome>): Promise<SendOutcome> {
    const running = this.#sending.get(id);
    if (running !== undefined) return running;
    const sent = send().finally(() => this.#sending.delete(id));
    this.#sending.set(id, sent);
    return sent;
  }

  async #sendRecorded(id: number, patienceMillis: number): Promise<SendOutcome> {
    const { state } = this.#ports;
    const transaction = state.journal.transaction(id);
    if (transaction.state === 'refused') return 'refused';
    // A payment that is being cancelled may be at the node, and is not given to it again.
    if (state.journal.replacementOf(id) !== undefined) return 'unknown';
    const wire = state.journal.wireOf(id);
    if (wire === null) return 'known';
    // The attempt is on the disk before it is made, with the transaction itself, so that no refusal after a crash is
    // taken for certain.
    state.database.lazilyOne(() => state.journal.recordAttempt(id));
    return await this.#send(transaction, wire, patienceMillis);
  }

  /** Sends a transaction whose attempt is recorded. */
  async #send(
    transaction: Attempted,
    wire: Uint8Array,
    patienceMillis: number,
  ): Promise<SendOutcome> {
    const { reached, state } = this.#ports;
    const { attempts, id, unanswered } = transaction;
    await this.#ports.beforeSend();
    reached(attempts === 0 ? 'before_submit' : 'resubmit');
    const outcome = await this.#submit(transaction, wire, patienceMillis);
    reached('after_answer');
    // If the answer is lost, the same bytes are sent again, and the node says that it has them.
    if (outcome.type === 'refused') return this.#refused(transaction, outcome.error);
    state.database.lazilyOne(() => {
      if (outcome.type === 'known') state.journal.markKnown(id);
      else if (outcome.type === 'waiting') state.journal.takeBackAttempt(id);
      else state.journal.recordUnanswered(id);
    });
    reached('after_record');
    const mayHaveArrived = attempts > 0 || unanswered > 0;
    return outcome.type === 'waiting' && mayHaveArrived ? 'unknown' : outcome.type;
  }

  async #submit(
    { id, transactionId }: Attempted,
    wire: Uint8Array,
    patienceMillis: number,
  ): Promise<Answer> {
    const submission = { wire, transaction_id: transactionId };
    const until = this.#ports.clock.monotonic() + patienceMillis;
    if (this.#inLine > 0) return await this.#submitInLine(id, submission, until);
    const attempt = await this.#attempt(id, submission);
    return attempt.type === 'busy' ? await this.#submitInLine(id, submission, until) : attempt;
  }

  /** Tries one transaction after the other, in the order in which they came, at the pace that the node asks for. */
  async #submitInLine(id: number, submission: WireSubmission, until: number): Promise<Answer> {
    const { clock } = this.#ports;
    const before = this.#line;
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    this.#line = left;
    this.#inLine++;
    try {
      await before;
      for (;;) {
        const now = clock.monotonic();
        if (now >= until) return { type: 'waiting' };
        if (now < this.#nextTryMillis) {
          await sleep(clock, Math.min(this.#nextTryMillis, until) - now);
          continue;
        }
        const attempt = await this.#attempt(id, submission);
        if (attempt.type !== 'busy') return attempt;
      }
    } finally {
      this.#inLine--;
      leave();
    }
  }

  async #attempt(id: number, submission: WireSubmission): Promise<Attempt> {
    const { reached, state, submissions } = this.#ports;
    // It may have been cancelled since it was asked to be sent. The node has nothing from this attempt.
    if (state.journal.replacementOf(id) !== undefined) return { type: 'waiting' };
    try {
      await submissions.submit(submission);
      reached('after_submit');
      return { type: 'known' };
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      return this.#failed(error);
    }
  }

  #failed(error: ClientError): Attempt {
    if (error.code === NO_ROOM) return { type: 'waiting' };
    if (isBusy(error)) {
      const wait = error.retryAfterMillis ?? BUSY_WAIT_MILLIS;
      const waitMillis = Math.max(1, Math.min(wait, BUSY_WAIT_MILLIS_MAX));
      this.#nextTryMillis = this.#ports.clock.monotonic() + waitMillis;
      return { type: 'busy' };
    }
    const isVerdict = error.kind === 'refused' && error.code !== TOO_EARLY;
    return isVerdict ? { type: 'refused', error } : { type: 'unknown' };
  }

  /**
   * Handles a refusal of the node. A node also refuses a transaction that was executed before, because its inputs
   * are gone; such a transaction is known to the node. Otherwise the refusal is recorded only if no earlier attempt
   * could have arrived.
   */
  async #refused(transaction: Attempted, error: ClientError): Promise<SendOutcome> {
    const { log, state } = this.#ports;
    const fields = {
      transaction: transaction.transactionId,
      code: error.code ?? '',
      error: error.message,
    };
    if (await this.#isKnown(transaction)) {
      state.journal.markKnown(transaction.id);
      return 'known';
    }
    if (transaction.attempts > 0 || transaction.unanswered > 0) {
      log.warn(fields, 'the node refuses a transaction that may have arrived before');
      state.journal.recordUnanswered(transaction.id);
      return 'unknown';
    }
    log.warn(fields, 'the node refused a transaction; it is not sent again');
    const { code = 'refused', message } = error;
    const refusal = { code, message };
    state.database.transaction(() => {
      state.journal.recordRefusal(transaction.id, JSON.stringify(refusal));
      const recorded = state.journal.transaction(transaction.id);
      auditTransaction(state, recorded, { event: 'refused', refusal });
    });
    this.#ports.reached('after_record');
    return 'refused';
  }

  async #isKnown({ transactionId }: Attempted): Promise<boolean> {
    try {
      const { lifecycle } = await this.#ports.client.transactionStatus({ id: transactionId });
      return lifecycle !== 'failed';
    } catch (error) {
      if (error instanceof ClientError) return false;
      throw error;
    }
  }
}

export interface SubmissionPorts {
  readonly client: Pick<Client, 'submit' | 'submitMany'>;
  readonly reached: Reached;
}

/** A signed transaction in bytes, and its id. */
type WireSubmission = Extract<Submission, { readonly wire: Uint8Array }>;

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
