/**
 * Sends recorded transactions to the node: always the recorded bytes, and never others for the same request. A
 * transaction that the node refused at the first attempt is never sent again, so that the refusal stays true; one
 * that may have arrived is sent until the chain has decided.
 */
import { type Clock, type Log, sleep } from 'svc-base/pure';
import { type Client, ClientError, isBusy } from 'svc-client';
import { toHex } from 'svc-wasm/base';
import type { JournalTransaction } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import { auditTransaction } from './audit-entries.ts';
import type { Reached } from './crash-points.ts';

export type SendOutcome = 'known' | 'refused' | 'unknown';

export interface SenderPorts {
  readonly state: State;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly reached: Reached;
  /** Called before a transaction leaves: brings it to the disk. What it throws keeps the transaction here. */
  beforeSend(): Promise<void>;
}

const BUSY_WAITS = 2;
const BUSY_WAIT_MILLIS_MAX = 2_000;
const BUSY_WAIT_MILLIS = 500;

/** Refusals that say something about the node or the moment, not about the transaction. */
const PASSING_CODES: ReadonlySet<string> = new Set([
  'not_synced',
  'not_yet_valid',
  'unavailable',
  'overloaded',
]);

export class Sender {
  readonly #ports: SenderPorts;
  readonly #sending = new Map<number, Promise<SendOutcome>>();

  constructor(ports: SenderPorts) {
    this.#ports = ports;
  }

  /** Sends a transaction once, waiting a little if the node is busy. */
  send(id: number): Promise<SendOutcome> {
    const running = this.#sending.get(id);
    if (running !== undefined) return running;
    const sent = this.#send(id).finally(() => this.#sending.delete(id));
    this.#sending.set(id, sent);
    return sent;
  }

  async #send(id: number): Promise<SendOutcome> {
    const { reached, state } = this.#ports;
    const transaction = state.journal.transaction(id);
    if (transaction.state === 'refused') return 'refused';
    const wire = state.journal.wireOf(id);
    if (wire === null) return 'known';
    // The attempt is on the disk before it is made, with the transaction itself, so that no refusal after a crash is
    // taken for certain.
    await state.database.soon(() => state.journal.recordAttempt(id));
    await this.#ports.beforeSend();
    reached(transaction.attempts === 0 ? 'before_submit' : 'resubmit');
    const outcome = await this.#submit(transaction, wire);
    reached('after_answer');
    // Whoever forgets the answer of the node sends the same bytes again, and is told that the node has them.
    if (outcome.type === 'refused') return this.#refused(transaction, outcome.error);
    await state.database.soon(() => {
      if (outcome.type === 'known') state.journal.markKnown(id);
      else state.journal.recordUnanswered(id);
    });
    reached('after_record');
    return outcome.type;
  }

  async #submit(
    transaction: JournalTransaction,
    wire: Uint8Array,
  ): Promise<{ type: 'known' | 'unknown' } | { type: 'refused'; error: ClientError }> {
    const { client, clock, reached } = this.#ports;
    const submission = { wire_hex: toHex(wire), transaction_id: transaction.transactionId };
    for (let waits = 0; ; waits++) {
      try {
        const submitted = client.submit(submission);
        reached('during_submit');
        await submitted;
        reached('after_submit');
        return { type: 'known' };
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        if (isBusy(error) && waits < BUSY_WAITS) {
          await sleep(
            clock,
            Math.min(error.retryAfterMillis ?? BUSY_WAIT_MILLIS, BUSY_WAIT_MILLIS_MAX),
          );
          continue;
        }
        const isVerdict = error.kind === 'refused' && !isBusy(error);
        if (!isVerdict || PASSING_CODES.has(error.code ?? '')) return { type: 'unknown' };
        return { type: 'refused', error };
      }
    }
  }

  /**
   * Handles a refusal of the node. A node also refuses a transaction that was executed before, because its inputs
   * are gone; such a transaction is known to the node. Otherwise the refusal is recorded only if no earlier attempt
   * could have arrived.
   */
  async #refused(transaction: JournalTransaction, error: ClientError): Promise<SendOutcome> {
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
      auditTransaction(state, transaction, { event: 'refused', refusal });
    });
    this.#ports.reached('after_record');
    return 'refused';
  }

  async #isKnown({ transactionId }: JournalTransaction): Promise<boolean> {
    try {
      const { lifecycle } = await this.#ports.client.transactionStatus({ id: transactionId });
      return lifecycle !== 'failed';
    } catch (error) {
      if (error instanceof ClientError) return false;
      throw error;
    }
  }
}
