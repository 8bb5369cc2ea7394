/**
 * Follows transactions whose outcome is open: sends those again that the node may not have, and settles those that
 * can no longer be executed.
 */
import type { Clock } from 'svc-base/pure';
import type { Client } from 'svc-client';
import { reading } from '../node/node-fault.ts';
import { isRefusal } from '../node/trusted-chain.ts';
import type { StoredEvent } from '../state/events.ts';
import type { JournalTransaction } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import { isRescanning } from '../state/readings.ts';
import { type ConflictPorts, settleConflict, settleExpired } from './expiry.ts';
import type { Sender } from './sender.ts';
import { UnexecutedSearch } from './unexecuted.ts';

export interface ResenderPorts extends ConflictPorts {
  readonly state: State;
  readonly client: Client;
  readonly clock: Clock;
  readonly sender: Sender;
  onEvents(events: readonly StoredEvent[]): void;
}

const FIRST_WAIT_MILLIS = 1_000;
const WAIT_MILLIS_MAX = 60_000;
/** How often the node is asked whether it still has the transactions it accepted. */
const STATUS_EVERY_CUTS = 4;
const STATUSES_PER_REQUEST = 1_024;
const FAULTS_PER_TURN = 4;

export class Resender {
  readonly #ports: ResenderPorts;
  /** When a transaction is due again, by the monotonic clock. */
  readonly #nextTry = new Map<number, number>();
  readonly #search = new UnexecutedSearch();
  #statusAtHeight = 0;

  constructor(ports: ResenderPorts) {
    this.#ports = ports;
  }

  /** Sends and settles every transaction that is due. Called when the state has caught up with the node. */
  async resendDue(indexedHeight: number): Promise<void> {
    await this.#settleProven(indexedHeight);
    await this.#recall(indexedHeight);
    await this.#send(indexedHeight);
  }

  async #send(indexedHeight: number): Promise<void> {
    const { clock, sender, state } = this.#ports;
    const now = clock.monotonic();
    const unsent = state.journal.unsent();
    this.#forgetOthers(unsent);
    for (const transaction of unsent) {
      const isDue = (this.#nextTry.get(transaction.id) ?? 0) <= now;
      if (!isDue || transaction.validUntil <= indexedHeight) continue;
      // While the node is busy, this transaction and those behind it stay due.
      if (sender.isNodeBusy) return;
      const wait = Math.min(
        WAIT_MILLIS_MAX,
        FIRST_WAIT_MILLIS * 2 ** Math.min(transaction.attempts, 10),
      );
      this.#nextTry.set(transaction.id, now + wait);
      await sender.send(transaction.id, { patienceMillis: 0 });
      if (sender.isNodeBusy) this.#nextTry.delete(transaction.id);
    }
  }

  /** Forgets when transactions were due that need not be sent any more. */
  #forgetOthers(unsent: readonly JournalTransaction[]): void {
    const left = new Set(unsent.map(({ id }) => id));
    for (const id of this.#nextTry.keys()) if (!left.has(id)) this.#nextTry.delete(id);
  }

  /**
   * Settles what can be proven dead, one transaction after the other: a node that fails on one of them keeps no other
   * one open. Transactions whose time has passed come first, because that proof asks nothing of the past.
   */
  async #settleProven(indexedHeight: number): Promise<void> {
    const { log, onEvents, state } = this.#ports;
    const expired = state.journal.expiredAt(indexedHeight);
    const contested = state.journal.contested();
    const steps = [
      ...expired.map((transaction) => ({ transaction, settleProven: settleExpired })),
      ...contested.map((transaction) => ({ transaction, settleProven: settleConflict })),
    ];
    let faults = 0;
    for (const { transaction, settleProven } of steps) {
      try {
        onEvents(await settleProven(this.#ports, transaction, indexedHeight));
      } catch (error) {
        if (!isRefusal(error)) throw error;
        const fields = { transaction: transaction.transactionId, error: error.message };
        log.warn(fields, 'whether a transaction is dead could not be found out now');
        // Further questions would wait for the same silent node as long as these.
        if (++faults === FAULTS_PER_TURN) return;
      }
    }
    await this.#settleOrphans(indexedHeight);
  }

  /**
   * Settles transactions whose time has passed and of whose inputs the history lacks one, or says unproven that they have
   * spent it themselves, once the outcomes of all cuts that could execute them are read.
   */
  async #settleOrphans(indexedHeight: number): Promise<void> {
    const { log, state } = this.#ports;
    // What the past lacks may be found yet.
    if (isRescanning(state.meta)) return;
    const orphans = state.journal
      .expiredAt(indexedHeight)
      .filter((transaction) => isMissingInput(state, transaction));
    try {
      await this.#search.readOn(this.#ports, orphans, indexedHeight);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      log.warn({ error: error.message }, 'the outcomes of past cuts could not be read now');
    }
  }

  /** Finds transactions that the node accepted and has dropped since, and marks them to be sent again. */
  async #recall(indexedHeight: number): Promise<void> {
    const { client, state } = this.#ports;
    if (indexedHeight < this.#statusAtHeight + STATUS_EVERY_CUTS) return;
    this.#statusAtHeight = indexedHeight;
    const known = state.journal.known();
    for (let at = 0; at < known.length; at += STATUSES_PER_REQUEST) {
      const some = known.slice(at, at + STATUSES_PER_REQUEST);
      const ids = some.map(({ transactionId }) => transactionId);
      const { statuses } = await reading(client.transactionsStatus({ transaction_ids: ids }));
      const alive = new Set(
        statuses
          .filter(({ failure }) => failure === null)
          .map(({ transaction_id }) => transaction_id),
      );
      for (const transaction of some) {
        if (!alive.has(transaction.transactionId)) state.journal.markLost(transaction.id);
      }
    }
  }
}

function isMissingInput({ inputs, outputs }: State, { id, transactionId }: JournalTransaction) {
  return inputs.of(id).some((input) => {
    const output = outputs.find(input.transactionId, input.outputIndex);
    return output === undefined || output.spentBy === transactionId;
  });
}
