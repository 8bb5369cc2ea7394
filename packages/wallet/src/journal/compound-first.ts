/**
 * Payments that need more outputs than one transaction takes: first the outputs are merged, then the payment
 * is made. Merging pays no recipient, so it may be planned anew after a failure; the payment itself is made once. What can be
 * known to be impossible is refused before anything is merged; a refusal after that is for good. A request whose token is
 * revoked meanwhile is held, and continues when a caller who may asks for it.
 */

import { type Clock, type Log, sleep } from 'svc-base/pure';
import { coinsOf, sumOf } from '../amounts.ts';
import { WalletError, type WalletErrorOptions } from '../errors.ts';
import type { History } from '../scan/history.ts';
import type { PaymentBuilder } from '../spend/payment-builder.ts';
import type { PaymentTurns } from '../spend/payment-queue.ts';
import { batchesOf } from '../spend/plan.ts';
import type { JournalRequest } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import type { Coin } from '../state/outputs.ts';
import type { Reached } from './crash-points.ts';
import { type Caller, expectValid, mayDecideOn } from './limits.ts';
import {
  type Made,
  type MadeTransaction,
  type Make,
  type OutgoingRequest,
  recordRequest,
  recordTransactions,
} from './record.ts';
import type { Sender } from './sender.ts';
import type { Mismatches } from './settle.ts';

const POLL_MILLIS = 200;
const RETRY_MILLIS = 1_000;
/** How long a call waits for its payment to be made before the caller has to ask again. */
const WAIT_MILLIS_MAX = 20_000;
/** Codes of refusals that no waiting changes: of the payment, and of its parameters. */
const FINAL_CODES: readonly number[] = [-32000, -32602];

export class CompoundFirst {
  readonly #ports: OutgoingPorts;
  readonly #driven = new Map<number, Promise<boolean>>();
  /** Who asked for a request again after the token was revoked that had asked first. */
  readonly #askers = new Map<number, Caller>();

  constructor(ports: OutgoingPorts) {
    this.#ports = ports;
  }

  /** What a request would do now, merges included; nothing is signed or recorded. */
  async foresee({ method, params }: OutgoingRequest): Promise<Foreseen> {
    const { makerOf, turns } = this.#ports;
    const make = makerOf(method, params);
    return await turns.withBuilder(true, (builder) => foreseeMerging(builder, make));
  }

  /** Records a request together with its first merges, and returns its row. A request that is refused leaves no trace. */
  async begin(request: OutgoingRequest): Promise<number> {
    const { clock, state, turns } = this.#ports;
    return await turns.withBuilder(false, async (builder) => {
      const round = await mergeLargest(builder);
      if (round.length === 0) {
        throw new WalletError('wallet_busy', 'other payments have taken the outputs meanwhile');
      }
      expectValid(request.caller);
      return state.database.transaction(() => {
        const asked = recordRequest(state, request, clock);
        recordTransactions(state, asked, round, builder, clock);
        return asked.id;
      });
    });
  }

  /**
   * Returns whether the payment was made or refused in time. Throws the error of a request that led to nothing.
   */
  async waitFor(id: number, caller: Caller | undefined): Promise<boolean> {
    const waited = new AbortController();
    const isMade = await Promise.race([
      this.#driveReleased(id, caller),
      sleep(this.#ports.clock, WAIT_MILLIS_MAX, waited.signal).then(() => false),
    ]);
    waited.abort();
    return isMade;
  }

  /**
   * Drives a request for a caller who may take it over. It is driven again where its hold was released while the drive that
   * held it came to its end: that one notices no further caller.
   */
  async #driveReleased(id: number, caller: Caller | undefined): Promise<boolean> {
    const { state } = this.#ports;
    const asked = state.journal.request(id);
    const isTakenOver = caller !== undefined && mayDecideOn(caller, asked);
    for (;;) {
      if (isTakenOver && this.#isRevoked(asked)) this.#askers.set(id, caller);
      if (await this.drive(id)) return true;
      if (!state.database.isOpen || state.stopped.isHeld(id)) return false;
    }
  }

  /**
   * Waits for merges and tries the payment again until it is made or impossible, or held because its token was revoked; a
   * request is driven once at a time. Returns whether it is made.
   */
  drive(id: number): Promise<boolean> {
    let driven = this.#driven.get(id);
    if (driven === undefined) {
      driven = this.#drive(id).finally(() => {
        this.#driven.delete(id);
        this.#askers.delete(id);
      });
      this.#driven.set(id, driven);
    }
    return driven;
  }

  async #drive(id: number): Promise<boolean> {
    const { clock, state } = this.#ports;
    for (;;) {
      await this.#untilMerged(id);
      if (!state.database.isOpen) return false;
      try {
        const step = await this.#step(id);
        if (step !== 'merged') return step === 'made';
      } catch (error) {
        if (!(error instanceof WalletError) || isFinal(error)) throw error;
        await sleep(clock, RETRY_MILLIS);
        if (!state.database.isOpen) return false;
      }
    }
  }

  #isRevoked({ caller, id }: Pick<JournalRequest, 'caller' | 'id'>): boolean {
    const asker = this.#askers.get(id);
    if (asker !== undefined) return asker.isValid?.() === false;
    return caller !== null && this.#ports.isRevoked(caller);
  }

  /** Sends what was merged, and waits until it is decided or the wallet is closed. */
  async #untilMerged(id: number): Promise<void> {
    const { clock, sender, state } = this.#ports;
    for (const transaction of state.journal.transactionsOf(id)) {
      if (transaction.state === 'built') await sender.send(transaction.id);
    }
    while (state.database.isOpen && this.#isMerging(id)) await sleep(clock, POLL_MILLIS);
  }

  #isMerging(id: number): boolean {
    const { state } = this.#ports;
    return state.journal.transactionsOf(id).some((transaction) => transaction.state !== 'final');
  }

  /** Makes the payment, or the next round of merging, or holds a request whose token was revoked. */
  #step(id: number): Promise<'made' | 'merged' | 'held'> {
    const { clock, log, makerOf, state, turns } = this.#ports;
    const asked = state.journal.request(id);
    const make = makerOf(asked.method, JSON.parse(asked.params));
    return turns.withBuilder(false, async (builder) => {
      try {
        const made = await madeOrMerged(builder, make);
        if (this.#isRevoked(asked)) {
          state.stopped.hold(id);
          const fields = { request_id: asked.requestId, token: asked.caller };
          log.warn(fields, 'the token was revoked before its payment was made: it is held');
          return 'held';
        }
        state.database.transaction(() => {
          recordTransactions(state, asked, made.transactions, builder, clock);
          if (made.result !== null) state.journal.finishRequest(id, JSON.stringify(made.result));
        });
        return made.result === null ? 'merged' : 'made';
      } catch (error) {
        throw error instanceof WalletError && isFinal(error) ? this.#refuse(id, error) : error;
      }
    });
  }

  /** Records that the request is impossible, on the disk and in the journal copy, before the refusal is returned. */
  #refuse(id: number, error: WalletError): WalletError {
    const { state, syncCopy } = this.#ports;
    const { kind, message } = error;
    state.stopped.refuse(id, JSON.stringify({ kind, message }));
    syncCopy();
    return refusedForGood(kind, message, { cause: error });
  }
}

/** A payment, or without a result the merges that it takes first. */
async function madeOrMerged(
  builder: PaymentBuilder,
  make: Make,
): Promise<{ transactions: readonly MadeTransaction[]; result: object | null }> {
  try {
    return await make(builder);
  } catch (error) {
    if (!needsMerging(error)) throw error;
    const transactions = await mergeLargest(builder);
    if (transactions.length === 0) throw error;
    return { transactions, result: null };
  }
}

/** The refusal of a request that outputs were merged for: it stays with the name, whatever the reason was. */
export function refusedForGood(
  kind: WalletError['kind'],
  message: string,
  more: Pick<WalletErrorOptions, 'cause' | 'details'>,
): WalletError {
  const hint = 'nothing was paid, and nothing will be under this request_id';
  return new WalletError(kind, message, { hint, retry: 'never', ...more });
}

function isFinal({ code }: WalletError): boolean {
  return FINAL_CODES.includes(code);
}

const TRANSACTIONS_PER_ROUND = 8;
/** More rounds are not foreseen; a payment that needs more is refused. */
const ROUNDS_MAX = 128;

/** A payment that is not made yet, and the merges that come before it. */
export interface Foreseen {
  readonly made: Made;
  readonly merges: readonly MadeTransaction[];
}

/** Transactions that merge the coins, each as many as it can; a lone coin is left alone. */
export async function mergeOutputs(
  builder: PaymentBuilder,
  coins: readonly Coin[],
): Promise<MadeTransaction[]> {
  const made: MadeTransaction[] = [];
  for (const some of batchesOf(coins, builder.context)) {
    if (some.length < 2) continue;
    const to = builder.takeChangeAddress();
    const plan = await builder.planSweep(to, some);
    const amount = sumOf(plan.payments);
    const recipients = [{ to, amount: coinsOf(amount) }];
    made.push({ kind: 'compound', built: builder.build(plan), amount, recipients });
  }
  return made;
}

/** The next merges for a payment that needs too many outputs: those of the largest. */
async function mergeLargest(builder: PaymentBuilder): Promise<MadeTransaction[]> {
  const limit = TRANSACTIONS_PER_ROUND * builder.context.terms.inputsMax;
  return await mergeOutputs(builder, builder.largest(limit));
}

export function needsMerging(error: unknown): error is WalletError {
  return error instanceof WalletError && error.kind === 'too_many_inputs';
}

/**
 * Finds out on the builder of a dry run which merges a payment takes and what it then is, as the wallet is now. Throws what
 * the payment would be refused with, before anything is merged for it.
 */
async function foreseeMerging(builder: PaymentBuilder, make: Make): Promise<Foreseen> {
  const merges: MadeTransaction[] = [];
  for (let rounds = 0; ; rounds++) {
    try {
      return { made: await make(builder), merges };
    } catch (error) {
      if (!needsMerging(error) || rounds === ROUNDS_MAX) throw error;
      const round = await mergeLargest(builder);
      if (round.length === 0) throw error;
      for (const { built } of round) builder.foresee(built);
      merges.push(...round);
      // A long plan does not delay other work.
      await new Promise((resolve) => void setImmediate(resolve));
    }
  }
}

export interface OutgoingPorts {
  readonly state: State;
  readonly turns: PaymentTurns;
  readonly sender: Sender;
  readonly history: Pick<History, 'contradiction'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly reached: Reached;
  readonly mismatches: Pick<Mismatches, 'tell'>;
  /** Brings what was committed to the disk, in the journal copy too, before it returns. */
  syncCopy(): void;
  /** Whether the token of this name was revoked. */
  isRevoked(caller: string): boolean;
  /** How the transactions of a request are made; the parameters may come from the record. */
  makerOf(method: string, params: unknown): Make;
  /** Whether the method makes one transaction, with coins that it chooses itself: such requests are made together. */
  isPayment(method: string): boolean;
}
