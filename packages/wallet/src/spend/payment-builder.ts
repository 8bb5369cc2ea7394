/**
 * Where a request makes its transactions while it is its turn: it sees the free coins, plans and builds. Nothing is
 * recorded here; the commit that follows reserves the coins and issues the addresses that the builder has used.
 */
import type { Client } from 'svc-client';
import { encodeTransactionBody, transactionId } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { WalletError } from '../errors.ts';
import type { Keychain } from '../keys/keychain.ts';
import type { Signing } from '../keys/signer.ts';
import { reading } from '../node/node-fault.ts';
import type { Rules } from '../node/node-link.ts';
import type { Incoming } from '../scan/incoming.ts';
import type { State } from '../state/open-state.ts';
import type { Coin } from '../state/outputs.ts';
import {
  type BuiltTransaction,
  beginTransaction,
  buildTransaction,
  draftTransaction,
  transactionRequest,
  type UnfinishedTransaction,
  type Window,
} from './build.ts';
import { type Float, type FloatNeed, pieceOf } from './float.ts';
import { shortOfFunds } from './funds.ts';
import { type MassModel, massModelOf } from './mass-model.ts';
import {
  type Order,
  type Plan,
  planOrder,
  planReturn,
  planSplit,
  planSweep,
  planWith,
  type SpendContext,
  TooFewCoins,
} from './plan.ts';

interface PaymentBuilderOptions {
  readonly state: State;
  readonly keychain: Keychain;
  readonly client: Client;
  readonly rules: Rules;
  readonly window: Window;
  readonly feeMax: bigint;
  /** The coins that the wallet keeps ready; change is split for them. */
  readonly float: Float | null;
  /** Payments to this wallet that wait in the mempool: a refusal says what they would change. */
  readonly incoming: Pick<Incoming, 'list'>;
  /** Nothing is signed on the builder of a dry run: its transactions only show what would be paid. */
  readonly isDryRun: boolean;
  /** What was decided in the same turn before and is not recorded yet; nothing without. */
  readonly reservations?: Reservations;
  /** Who signs payments; they are signed at once without. */
  readonly signing?: Signing | undefined;
}

/** How many coins are looked at to find out whether many small ones would cover a payment. */
const COINS_COUNTED_MAX = 4_096;
/** As many more as the merges may take that are foreseen. */
const COINS_FORESEEN_MAX = 3 * COINS_COUNTED_MAX;

export class PaymentBuilder {
  readonly #options: PaymentBuilderOptions;
  readonly #reservations: Reservations;
  readonly #unfinished: UnfinishedTransaction[] = [];
  readonly #coins: Coin[] = [];
  /** Outputs that transactions of a dry run would make for the wallet; their rows are negative. */
  readonly #foreseen: Coin[] = [];
  /** The largest free coins when the first of these was foreseen: what comes and goes meanwhile changes no plan. */
  #freeThen: readonly Coin[] = [];
  readonly context: SpendContext;
  readonly client: Client;
  readonly keychain: Keychain;
  readonly state: State;
  /** The finalized height at which the operation began. */
  readonly height: number;
  /** Change addresses taken so far. */
  changeAddresses = 0;

  constructor(options: PaymentBuilderOptions) {
    this.#options = options;
    this.#reservations = options.reservations ?? new Reservations();
    this.client = options.client;
    this.keychain = options.keychain;
    this.state = options.state;
    this.height = options.window.from;
    this.context = {
      ...options.rules,
      mass: massOf(options),
      feeMax: options.feeMax,
      ...(options.float === null ? {} : { float: this.needOf(options.float) }),
      addressOf: (coin) => options.state.addresses.spending(coin.addressId),
    };
  }

  /** Plans an order. Keys that have come into the registry since make the plan cheaper. */
  async plan(order: Order): Promise<Plan> {
    const { outputs } = this.#options.state;
    for (let current = order; ; ) {
      const plan = this.#tryPlan(current);
      if (!(await this.#learnKeys(plan.coins))) return plan;
      current = this.#withOwner(order);
      const areFree = plan.coins.every(({ id }) => id < 0 || outputs.isFree(id));
      if (areFree) return planWith(current, plan.coins, this.context);
      this.#reservations.forgetRead();
    }
  }

  /** The order with its owner as the wallet knows it now: the key may have come into the registry meanwhile. */
  #withOwner(order: Order): Order {
    const { operation } = order;
    if (operation === undefined) return order;
    // The owner of a heartbeat is a key that has no address in the state.
    const owner = this.state.addresses.find(operation.owner.address) ?? operation.owner;
    return { ...order, operation: { ...operation, owner } };
  }

  async planSweep(to: string, coins: readonly Coin[]): Promise<Plan> {
    await this.#learnKeys(coins);
    return planSweep(to, coins, this.context);
  }

  /**
   * What a float lacks now, and one coin more, so that what is left over is none of the float's. Each transaction under
   * way counts as one coin that comes back.
   */
  needOf(float: Float): FloatNeed {
    const { rules, state } = this.#options;
    const wanted = float.count + 1;
    const held = this.#reservations.countAtLeast(float.amount);
    const free = state.outputs.countFree(float.amount, wanted + held) - held;
    const there = free + state.journal.openCount() + this.#reservations.transactions;
    const piece = pieceOf(float, rules.mass, rules.terms);
    return { missing: Math.max(0, wanted - there), piece };
  }

  /** Plans to pay coins back to the wallet that a transaction with this fee spends. */
  async planReturn(
    coins: readonly Coin[],
    replacedFee: bigint,
    feePerMass: bigint | undefined,
  ): Promise<Plan> {
    await this.#learnKeys(coins);
    return planReturn(coins, replacedFee, feePerMass, this.context);
  }

  async planSplit(coin: Coin, need: FloatNeed): Promise<ReturnType<typeof planSplit>> {
    await this.#learnKeys([coin]);
    return planSplit(coin, need, this.context);
  }

  /** The transaction can be executed for so many cuts, for those of the builder unless given. */
  build(plan: Plan, validCuts?: number): BuiltTransaction {
    const change = plan.change.length === 0 ? null : this.takeChangeAddress();
    const { isDryRun, keychain } = this.#options;
    const window = this.#windowOf(validCuts);
    const built = isDryRun
      ? draftTransaction(plan, change, window, this.context)
      : this.#build(plan, change, window, keychain);
    this.#reservations.take(plan.coins);
    this.#coins.push(...plan.coins);
    return built;
  }

  #build(plan: Plan, change: string | null, window: Window, { keys }: Keychain): BuiltTransaction {
    const { signing } = this.#options;
    if (signing === undefined) return buildTransaction(plan, change, window, this.context, keys);
    const begun = beginTransaction(plan, change, window, this.context, keys, signing);
    this.#unfinished.push(begun);
    return begun;
  }

  /** Finishes what was built, once everything is signed. */
  finish(): void {
    for (const begun of this.#unfinished.splice(0)) begun.finish();
  }

  /** Whether every coin that was built with is free still. */
  get areCoinsFree(): boolean {
    const { outputs } = this.#options.state;
    return this.#coins.every(({ id }) => outputs.isFree(id));
  }

  /** The body of a plan that others sign, whose change goes to this address. Nothing is taken from the builder. */
  draftBody(plan: Plan, changeAddress: string, validCuts: number | undefined) {
    const { manifest } = this.context.terms;
    const window = this.#windowOf(validCuts);
    const request = transactionRequest(plan, changeAddress, window);
    const body = encodeTransactionBody(JSON.stringify(request), manifest);
    const id = transactionId(body, manifest);
    return { plan, body, transactionId: id, validUntil: window.until };
  }

  #windowOf(validCuts: number | undefined): Window {
    const { window } = this.#options;
    if (validCuts === undefined) return window;
    const { validityCutsMax } = this.context.terms;
    if (validCuts <= validityCutsMax) return { from: window.from, until: window.from + validCuts };
    const message = `a transaction of this chain is valid for ${validityCutsMax} cuts at most`;
    throw new WalletError('invalid_params', message, { path: 'valid_cuts' });
  }

  /** The next change address that this operation has not used, or one of the few that all change goes to. */
  takeChangeAddress(): string {
    const again = this.#options.keychain.changeAgain();
    if (again !== null) return again;
    this.changeAddresses++;
    return this.#options.keychain.changeAhead(this.#reservations.changeAddresses++);
  }

  /** The largest free coins that this operation has not taken. */
  largest(limit: number): Coin[] {
    const { outputs } = this.#options.state;
    const isFree = ({ id }: Coin): boolean => !this.#reservations.has(id);
    if (this.#foreseen.length === 0)
      return outputs
        .largest(limit + this.#reservations.coins)
        .filter(isFree)
        .slice(0, limit);
    return [...this.#freeThen, ...this.#foreseen]
      .filter(isFree)
      .sort((a, b) => (a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1))
      .slice(0, limit);
  }

  /**
   * Counts the first output of a transaction as a coin, which pays an address of this wallet. On the builder of a dry run
   * alone: a coin that is not there yet cannot be spent.
   */
  foresee({ plan, transactionId }: BuiltTransaction): void {
    const { isDryRun, state } = this.#options;
    const [paid] = plan.payments;
    const own = paid === undefined ? undefined : state.addresses.find(paid.address);
    if (!isDryRun || paid === undefined || own === undefined) {
      throw new RangeError('only what a dry run would pay to this wallet is foreseen');
    }
    if (this.#foreseen.length === 0) this.#freeThen = state.outputs.largest(COINS_FORESEEN_MAX);
    const id = -1 - this.#foreseen.length;
    const { amount } = paid;
    this.#foreseen.push({ id, transactionId, outputIndex: 0, addressId: own.id, amount });
  }

  #freeForeseen(): Coin[] {
    return this.#foreseen.filter(({ id }) => !this.#reservations.has(id));
  }

  #smallestAtLeast(least: bigint): Coin | undefined {
    const { outputs } = this.#options.state;
    const there = this.#reservations.smallestAtLeast(least, (amount, limit) =>
      outputs.freeAtLeast(amount, limit),
    );
    return this.#freeForeseen().reduce(
      (found, coin) =>
        coin.amount >= least && (found === undefined || coin.amount < found.amount) ? coin : found,
      there,
    );
  }

  #tryPlan(order: Order): Plan {
    try {
      const source = {
        smallestAtLeast: (amount: bigint) => this.#smallestAtLeast(amount),
        largest: (limit: number) => this.largest(limit),
      };
      return planOrder(order, source, this.context);
    } catch (error) {
      if (!(error instanceof TooFewCoins)) throw error;
      const { missing } = error;
      const more = this.#beyondLimit();
      if (more >= missing) throw tooMany(error);
      const inputCost = order.subtractFee ? 0n : this.#inputCost();
      const incoming = this.#options.incoming.list().map(({ atoms }) => atoms);
      throw shortOfFunds(this.state, { missing: missing - more, incoming, inputCost });
    }
  }

  /** The worth of coins beyond the number that one transaction can spend. */
  #beyondLimit(): bigint {
    const { inputsMax } = this.context.terms;
    const rest = this.largest(COINS_COUNTED_MAX).slice(inputsMax);
    const cost = this.#inputCost();
    return rest.reduce((sum, { amount }) => sum + (amount > cost ? amount - cost : 0n), 0n);
  }

  /** The fee for spending one output more, at the chain's least rate. */
  #inputCost(): bigint {
    return this.context.mass.inlineInput * this.context.terms.minFeePerMass;
  }

  /**
   * Asks the registry for keys that have spent and must be in it. Returns whether any was new to the wallet.
   */
  async #learnKeys(coins: readonly Coin[]): Promise<boolean> {
    const { client, keychain, state } = this.#options;
    if (keychain.isFixed) return false;
    const asked = [...new Set(coins.map(({ addressId }) => addressId))]
      .map((id) => state.addresses.spending(id))
      .filter(({ id, isKeyRegistered }) => !isKeyRegistered && state.outputs.hasSpent(id));
    if (asked.length === 0) return false;
    const addresses = asked.map(({ address }) => address);
    const { keys } = await reading(client.keysRegistered({ addresses }));
    let isNew = false;
    for (const [at, own] of asked.entries()) {
      const entry = keys[at];
      if (entry?.registered !== true || entry.address !== own.address) continue;
      if (entry.public_key !== toHex(keychain.publicKey(own))) continue;
      state.addresses.setKeyRegistered(own.id);
      isNew = true;
    }
    return isNew;
  }
}

/** What inputs of the wallet weigh: those of a shared wallet carry several signatures. */
function massOf({ keychain, rules }: PaymentBuilderOptions): MassModel {
  const { policy } = keychain;
  if (policy === null) return rules.mass;
  return massModelOf(rules.terms, {
    profile: 'multisig_inline',
    threshold: String(policy.threshold),
    members: String(policy.members.length),
  });
}

function tooMany(cause: TooFewCoins): WalletError {
  const message = 'the amount needs more outputs than one transaction can spend';
  return new WalletError('too_many_inputs', message, {
    hint: 'call with compound_first: true, or merge outputs with the method compound',
    details: cause.details,
    cause,
  });
}

/** Free coins of at least an amount, the smallest first, up to a limit. */
type ReadCoins = (amount: bigint, limit: number) => readonly Coin[];

export class Reservations {
  /** Change addresses that are used, counted from the next one of the wallet. */
  changeAddresses = 0;
  readonly #coins = new Map<number, bigint>();
  readonly #payments: number;
  #transactions = 0;
  /** Free coins that were read for all payments of the turn, without gaps between them. */
  #read: readonly Coin[] = [];
  /** There is none between this amount and the first of them either. */
  #readFrom = 0n;

  constructor(payments = 1) {
    this.#payments = payments;
  }

  /** How many coins are reserved. */
  get coins(): number {
    return this.#coins.size;
  }

  /** How many transactions spend them. */
  get transactions(): number {
    return this.#transactions;
  }

  has(id: number): boolean {
    return this.#coins.has(id);
  }

  /** Reserves the coins of one transaction. */
  take(coins: readonly Coin[]): void {
    for (const { amount, id } of coins) this.#coins.set(id, amount);
    this.#transactions++;
  }

  /** The smallest free coin of at least this amount. Coins are read for all payments of the turn at once. */
  smallestAtLeast(amount: bigint, read: ReadCoins): Coin | undefined {
    const isNext = (coin: Coin): boolean => coin.amount >= amount && !this.has(coin.id);
    const known = amount >= this.#readFrom ? this.#read.find(isNext) : undefined;
    if (known !== undefined) return known;
    const payments = Math.max(1, this.#payments - this.#transactions);
    this.#read = read(amount, this.coins + payments);
    this.#readFrom = amount;
    return this.#read.find(isNext);
  }

  /** Has coins read again: some that were read are not free any more. */
  forgetRead(): void {
    this.#read = [];
  }

  /** How many of the coins have at least this amount. */
  countAtLeast(amount: bigint): number {
    let count = 0;
    for (const reserved of this.#coins.values()) if (reserved >= amount) count++;
    return count;
  }
}
