/**
 * Pays balances through the wallet daemon. Every payout has a request id that is written before the wallet gets
 * it, and the wallet executes an id once: whatever is killed in between, the same call is repeated until its
 * outcome is known. An address that the wallet refuses is set aside, and the others are paid.
 */
import { asError, type Clock, type Log, messageOf } from 'svc-base/pure';
import { type WalletClient, WalletRpcError } from 'svc-client';
import { payoutText } from 'svc-mining';
import { formatAmount, parseAmount } from 'svc-wasm';
import type { Books } from '../books/books.ts';
import {
  cancelPayout,
  createPayout,
  holdAccount,
  markFinal,
  markSent,
  openPayouts,
  type Payout,
} from './payout-book.ts';

export interface PayerPorts {
  readonly books: Books;
  readonly wallet: Pick<WalletClient, 'call'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly onFatal: (error: Error) => void;
}

export interface PayerOptions {
  /** The least amount of a payment, in atoms. */
  readonly threshold: bigint;
  readonly intervalMillis: number;
}

/** The most recipients of one payment of the wallet. */
const RECIPIENTS_MAX = 7;
/** Payments that are begun in one turn. */
const PAYOUTS_MAX = 64;
/** Errors that make the request id dead: the payout may be cancelled. */
const NOTHING_WAS_MADE: readonly string[] = [
  'invalid_address',
  'invalid_amount',
  'burn_address',
  'change_address',
  'amount_below_fee',
  'insufficient_funds',
  'too_many_inputs',
  'fee_above_cap',
];
const ADDRESS_TO_BLAME = /^recipients\[([0-6])\]/;

type Attempt = 'done' | 'again' | 'later';

export class Payer {
  readonly #ports: PayerPorts;
  readonly #options: PayerOptions;
  #running: Promise<void> | undefined;
  #stopTimer: () => void = () => {};
  #isClosed = false;
  #isAnswered = true;

  constructor(ports: PayerPorts, options: PayerOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  /** Whether the wallet answered the last call. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  start(): void {
    if (this.#isClosed) return;
    this.#running = this.payDue()
      .catch((error: unknown) => this.#ports.onFatal(asError(error)))
      .finally(() => {
        if (this.#isClosed) return;
        this.#stopTimer = this.#ports.clock.after(this.#options.intervalMillis, () => this.start());
      });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer();
    await this.#running;
  }

  /** One round: checks the payouts under way, then pays the balances that are due. */
  async payDue(): Promise<void> {
    const { database, poolId } = this.#ports.books;
    for (const payout of await database.transaction(openPayouts))
      if ((await this.#attempt(payout)) === 'later') return;
    const { threshold } = this.#options;
    for (let count = 0; count < PAYOUTS_MAX && !this.#isClosed; count++) {
      const nowMillis = this.#ports.clock.now();
      const terms = { poolId, threshold, recipientsMax: RECIPIENTS_MAX, nowMillis };
      const payout = await database.transaction((sql) => createPayout(sql, terms));
      if (payout === undefined) return;
      const { requestId, round, lines } = payout;
      this.#ports.log.info(
        { request_id: requestId, round, miners: lines.length },
        'a payout begins',
      );
      if ((await this.#attempt(payout)) === 'later') return;
    }
  }

  /** `later` if there is no use in asking the wallet for more now. */
  async #attempt(payout: Payout): Promise<Attempt> {
    try {
      const { transaction } = payout;
      return transaction === null
        ? await this.#pay(payout)
        : await this.#settle(payout, transaction);
    } catch (error) {
      if (!(error instanceof WalletRpcError)) throw error;
      return await this.#refused(payout, error);
    }
  }

  async #pay(payout: Payout): Promise<Attempt> {
    const { books, wallet } = this.#ports;
    const { transaction, fee } = await wallet.call('send_many', paymentOf(payout));
    this.#isAnswered = true;
    const sent = { transaction, fee: BigInt(parseAmount(fee)) };
    await books.database.transaction((sql) => markSent(sql, payout, sent));
    return 'done';
  }

  /** A payout that was sent is only asked for and never sent again: this wallet may have forgotten its name. */
  async #settle(payout: Payout, transaction: string): Promise<Attempt> {
    const { books, wallet, log } = this.#ports;
    const { outcome, fee } = await wallet.call('transaction', { transaction });
    this.#isAnswered = true;
    if (outcome === null) return 'done';
    if (outcome === 'finalized') {
      // A payout whose answer was lost learns its fee here.
      const atoms = BigInt(parseAmount(fee ?? '0'));
      await books.database.transaction((sql) => markFinal(sql, payout, atoms));
      return 'done';
    }
    log.warn({ request_id: payout.requestId, outcome }, 'a payout can never be paid');
    await books.database.transaction((sql) => cancelPayout(sql, payout, outcome, outcome));
    return 'again';
  }

  async #refused(payout: Payout, error: WalletRpcError): Promise<Attempt> {
    const { books, log } = this.#ports;
    const { kind = '', path = '' } = error;
    const reason = messageOf(error);
    const fields = { request_id: payout.requestId, kind, reason };
    this.#isAnswered = error.code !== undefined;
    if (payout.transaction === null && error.transaction !== undefined) {
      // Signed bytes have left the wallet: no new payment before they have expired.
      const sent = { transaction: error.transaction, fee: 0n };
      await books.database.transaction((sql) => markSent(sql, payout, sent));
      log.warn(fields, 'a payout waits until its transaction is final or has expired');
      return 'again';
    }
    if (payout.transaction !== null || !isNeverPaid(error)) {
      log.warn(fields, 'a payout waits; it is repeated under its name');
      return 'later';
    }
    const place = ADDRESS_TO_BLAME.exec(path)?.[1];
    const blamed = place === undefined ? undefined : payout.lines[Number(place)]?.address;
    await books.database.transaction(async (sql) => {
      await cancelPayout(sql, payout, 'refused', `${kind}: ${reason}`);
      if (blamed !== undefined) await holdAccount(sql, blamed, `${kind}: ${reason}`);
    });
    if (blamed === undefined) {
      log.error(fields, 'the wallet refuses a payout');
      return 'later';
    }
    log.warn({ ...fields, address: blamed }, 'the wallet refuses an address; the others are paid');
    return 'again';
  }
}

/** Whether the wallet certainly pays nothing under the request id, now or later. */
function isNeverPaid({ kind = '', retry }: WalletRpcError): boolean {
  // A budget that was used up while outputs were merged: the wallet refuses the name for good.
  return NOTHING_WAS_MADE.includes(kind) || (kind === 'day_limit' && retry === 'never');
}

/** Must be deterministic: the wallet compares repeats. */
function paymentOf({ requestId, round, root, lines }: Payout) {
  return {
    recipients: lines.map(({ address, atoms }, place) => ({
      to: address,
      amount: formatAmount(String(atoms)),
      ...(place === 0 ? { payload_text: payoutText(round, root) } : {}),
    })),
    request_id: requestId,
    subtract_fee: true,
    compound_first: true,
  };
}
