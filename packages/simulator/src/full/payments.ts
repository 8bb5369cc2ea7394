/**
 * A payer, and whether payments and blocks arrive.
 */
import { HOLD_BACK_MILLIS } from 'svc-consensus/shell';
import { type OutpointKey, outpointKey } from 'svc-ledger';
import type { FullNode, FullWorld } from './full-node.ts';
import { type Coin, type SignedTransaction, signTransaction } from './full-setting.ts';

interface Offer {
  readonly what: string;
  readonly sinceMs: number;
  readonly isAt: (node: FullNode) => boolean;
  readonly missing: Set<FullNode>;
}

/** Across several nodes, each of which may ask a silent peer first. */
const ARRIVAL_MS_MAX = 12_000;

/**
 * Whether what honest peers offer arrives: once everything has healed, a payment that one node has accepted and a block that
 * was mined on one reach every other node that is up, within a bounded time and whatever other peers do. Where a disk is slow,
 * no time is promised.
 */
export class Arrivals {
  readonly #world: FullWorld;
  /** A node whose disk takes seconds for a cut refuses what follows from later ones, and may be the way to all others. */
  readonly #isAnyDiskSlow: boolean;
  readonly #offers = new Set<Offer>();
  slowestMs = 0;

  constructor(world: FullWorld, isAnyDiskSlow: boolean) {
    this.#world = world;
    this.#isAnyDiskSlow = isAnyDiskSlow;
  }

  /** Whether nothing is on its way. */
  get isSettled(): boolean {
    return this.#offers.size === 0;
  }

  /** A node has something that others lack. */
  offer(what: string, isAt: (node: FullNode) => boolean): void {
    const { nodes } = this.#world;
    if (this.#world.healedAtMs === undefined || this.#isAnyDiskSlow) return;
    const missing = new Set(nodes.filter(({ isUp, isGone }) => isUp && !isGone));
    this.#offers.add({ what, sinceMs: this.#world.now, isAt, missing });
  }

  /** Called now and then. */
  look(): void {
    for (const offer of this.#offers) {
      const { what, sinceMs, isAt, missing } = offer;
      for (const node of missing) {
        const isAnother = !node.isUp || node.isGone || node.upSinceMs > sinceMs;
        if (isAnother || isAt(node)) missing.delete(node);
      }
      this.slowestMs = Math.max(this.slowestMs, this.#world.now - sinceMs);
      const [late] = missing;
      if (late === undefined) this.#offers.delete(offer);
      else if (this.#world.now > sinceMs + ARRIVAL_MS_MAX)
        this.#world.fail('arrivals', `${what} has not reached node ${late.index}`);
    }
  }
}

interface PayerEvents {
  /** A payment exists, and no node has it yet. */
  readonly onMade: (id: string) => void;
  /** A node has accepted it. */
  readonly onAccepted: (payment: Accepted) => void;
}

export type Accepted = Pick<Payment, 'id' | 'spends'>;

interface Payment extends SignedTransaction {
  readonly spends: OutpointKey;
  readonly left: bigint;
  sinceMs: number;
  /** The node that has accepted it. */
  at: FullNode | undefined;
}

const FEE = 300_000n;
const VALIDITY = { validFrom: 0, validUntil: 90 };
const RETRY_MS = 1_000;
/** A payment is executed within this time when everything has healed and no node is missing; a node that has just started listens for 20 s. */
const PAYMENT_MS_MAX = 65_000;
/** Signatures cost time; a seed has so many payments at most before it has healed. */
const PAYMENTS_MAX = 5;
/** What a node that lags, or has just begun, says about a good payment. */
const PASSING = new Set(['unknown_input', 'unavailable', 'overloaded']);

/**
 * The payer: each payment spends what the one before has left, and is given to a node in the moment when that node
 * has executed the one before, so that every node which lags has to refuse it at first. A payment that a node has
 * accepted must be executed, unless that node is gone for good; then it is given to another.
 */
export class Payer {
  readonly #world: FullWorld;
  readonly #events: PayerEvents;
  #coin: Coin;
  #payment: Payment | undefined;
  /** The last one was made after everything had healed. */
  #isLast = false;
  paid = 0;

  constructor(world: FullWorld, events: PayerEvents) {
    this.#world = world;
    this.#events = events;
    this.#coin = world.setting.payer.coin;
  }

  get isDone(): boolean {
    return this.#isLast && this.#payment === undefined;
  }

  start(): void {
    this.#payAt(undefined);
  }

  /** Must be called whenever a node has executed a cut. */
  onFinalized(node: FullNode): void {
    const payment = this.#payment;
    if (payment !== undefined) {
      if (node.chain.view.get('spent', payment.spends)?.transactionId !== payment.id) return;
      this.paid += 1;
      this.#payment = undefined;
      const outpoint = outpointKey({ transactionId: payment.id, outputIndex: 0 });
      this.#coin = { outpoint, amount: payment.left };
    }
    if (!this.#isLast) this.#payAt(node);
  }

  /** Looks after the payment under way; called now and then. */
  look(): void {
    const payment = this.#payment;
    if (payment === undefined) return;
    const healed = this.#world.healedAtMs;
    if (
      healed !== undefined &&
      this.#world.now > Math.max(healed, payment.sinceMs) + this.#paymentMsMax()
    )
      this.#world.fail('transactions', `payment ${this.paid + 1} was accepted and never executed`);
    if (payment.at?.isGone !== true && payment.at?.hasLostDisk !== true) return;
    payment.at = undefined;
    this.#giveAway(payment, undefined);
  }

  /** Without one of them the others may all be needed, and one that came back far behind holds back for its time. */
  #paymentMsMax(): number {
    const isOneMissing = this.#world.nodes.some(({ isGone, hasLostDisk }) => isGone || hasLostDisk);
    return PAYMENT_MS_MAX + (isOneMissing ? HOLD_BACK_MILLIS : 0);
  }

  /** A node has forgotten a transaction. */
  onRemoved(node: FullNode, id: string, reason: string): void {
    if (this.#payment?.id !== id || this.#payment.at !== node || reason === 'finalized') return;
    this.#world.fail('transactions', `node ${node.index} dropped a good payment: ${reason}`);
  }

  #payAt(node: FullNode | undefined): void {
    const isHealed = this.#world.healedAtMs !== undefined;
    if (this.#payment !== undefined || (this.paid >= PAYMENTS_MAX && !isHealed)) return;
    this.#isLast = isHealed;
    this.#payment = this.#make();
    this.#events.onMade(this.#payment.id);
    this.#giveAway(this.#payment, node);
  }

  /** Gives the payment to a node, and to another one if that lags or is down. */
  #giveAway(payment: Payment, preferred: FullNode | undefined): void {
    const { nodes } = this.#world;
    if (this.#payment !== payment || payment.at !== undefined) return;
    const node = preferred ?? nodes.find(({ isUp, mempool }) => isUp && mempool !== undefined);
    const retry = (): void =>
      void this.#world.callLater(RETRY_MS, () => this.#giveAway(payment, undefined));
    if (node?.mempool === undefined || !node.isUp) {
      retry();
      return;
    }
    const given = node.mempool.submit(payment.wire.slice(), 'own').then((admission) => {
      if (admission.type !== 'refused') {
        payment.at = node;
        this.#events.onAccepted(payment);
      } else if (PASSING.has(admission.code)) retry();
      else if (this.#payment === payment)
        this.#world.fail('transactions', `refused: ${admission.code}`);
    });
    // The mempool of a process that has ended meanwhile takes nothing.
    this.#world.await(given.catch(retry));
  }

  #make(): Payment {
    const { setting } = this.#world;
    const { outpoint, amount } = this.#coin;
    const draft = { from: setting.payer, coin: this.#coin, fee: FEE, ...VALIDITY };
    const signed = signTransaction(draft, setting.manifest);
    return {
      ...signed,
      spends: outpoint,
      left: amount - FEE,
      sinceMs: this.#world.now,
      at: undefined,
    };
  }
}
