/**
 * From what is to be paid to a transaction that is decided to the atom: inputs, what each recipient gets, change, fee.
 * Everything that it counts with is the wallet's own knowledge; of the node it takes the chain's rules, whose fee has a
 * cap. Pure: it reads coins and reserves nothing.
 */
import {
  encodeRecipientPayloads,
  type InputProfile,
  type OperationRequest,
  type TransactionRequest,
} from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { WalletError } from '../base/wallet-error.ts';
import type { OwnAddress } from '../state/addresses.ts';
import type { Coin } from '../state/outputs.ts';
import type { ChainTerms } from './chain-terms.ts';
import { type MassModel, placeholderInput, quoteMass } from './mass-model.ts';

export interface Payment {
  readonly address: string;
  readonly amount: bigint;
  /** What the recipient is told; everyone can read it. */
  readonly payloadText?: string;
}

export interface OwnedOperation {
  readonly request: OperationRequest;
  /** The address whose key signs the operation. */
  readonly owner: OwnAddress;
  /** The atoms of the inputs that the operation bonds. */
  readonly bonded: bigint;
  /** The index of the consensus key that signs too, for an operation that names a consensus key. */
  readonly possession?: { readonly position: number };
}

export interface Order {
  readonly payments: readonly Payment[];
  /** Whether the fee comes out of the payments. */
  readonly subtractFee: boolean;
  readonly operation?: OwnedOperation;
  /** Atoms for each unit of mass; the least that the chain allows unless given. */
  readonly feePerMass?: bigint;
}

export interface SpendContext {
  readonly terms: ChainTerms;
  readonly mass: MassModel;
  readonly feeMax: bigint;
  addressOf(coin: Coin): OwnAddress;
}

export interface Plan {
  readonly order: Order;
  readonly coins: readonly Coin[];
  /** Payments as the outputs have them: without the fee if the fee comes out of them. */
  readonly payments: readonly Payment[];
  /** Null if the rest is not worth an output. */
  readonly change: bigint | null;
  readonly fee: bigint;
  readonly feePerMass: bigint;
}

export interface CoinSource {
  /** The smallest free coin of at least this amount. */
  smallestAtLeast(amount: bigint): Coin | undefined;
  /** The largest free coins, the largest first. */
  largest(limit: number): Coin[];
}

export interface SelectionTask {
  /** What the inputs must cover beyond the fee of the inputs themselves. */
  readonly target: bigint;
  readonly inputsMax: number;
  /** The fee that spending this coin adds. */
  costOf(coin: Coin): bigint;
  /** No coin costs more than this. */
  readonly costMax: bigint;
}

export type Selection =
  | { readonly coins: readonly Coin[] }
  /** The atoms that the best choice within the limit lacks. */
  | { readonly missing: bigint };

/** Coins whose amounts lie close together can differ in worth by their cost; this many are looked at. */
const CANDIDATES_MAX = 64;

/** Decides a transaction for an order, with coins that it chooses. */
export function planOrder(order: Order, source: CoinSource, context: SpendContext): Plan {
  const { terms } = context;
  const rate = rateOf(order, terms);
  const fixed = fixedMass(order, context) * rate;
  const found = selectCoins(source, {
    target: totalOf(order) + (order.subtractFee ? 0n : fixed),
    inputsMax: terms.inputsMax,
    costMax: order.subtractFee ? 0n : context.mass.inlineInput * rate,
    costOf: (coin) => (order.subtractFee ? 0n : inputMass(coin, context) * rate),
  });
  if ('coins' in found) return planWith(order, found.coins, context);
  throw new WalletError('insufficient_funds', 'the free outputs do not cover amount and fee', {
    details: { missing_atoms: String(found.missing) },
  });
}

/** Decides a transaction for an order that spends exactly these coins. */
export function planWith(order: Order, coins: readonly Coin[], context: SpendContext): Plan {
  const rate = rateOf(order, context.terms);
  const inputs = coins.reduce((sum, { amount }) => sum + amount, 0n);
  const inputFees = coins.reduce((sum, coin) => sum + inputMass(coin, context) * rate, 0n);
  const leastFee = fixedMass(order, context) * rate + inputFees;
  const changeFee = context.mass.output * rate;
  const total = totalOf(order);
  const wanted = order.subtractFee ? total : total + leastFee + changeFee;
  const change = inputs - wanted;
  const keepsChange = change > context.mass.inlineInput * rate;
  const fee = keepsChange ? leastFee + changeFee : largest(leastFee, inputs - total);
  if (fee > context.feeMax) throw aboveCap(fee, context.feeMax);
  const payments = order.subtractFee
    ? subtractFee(order.payments, keepsChange ? fee : fee - (inputs - total))
    : order.payments;
  if (!order.subtractFee && inputs < total + leastFee) throw new RangeError('inputs do not cover');
  return { order, coins, payments, change: keepsChange ? change : null, fee, feePerMass: rate };
}

/** Decides a transaction that pays everything the coins are worth to one recipient. */
export function planSweep(to: string, coins: readonly Coin[], context: SpendContext): Plan {
  const amount = coins.reduce((sum, coin) => sum + coin.amount, 0n);
  const order = { payments: [{ address: to, amount }], subtractFee: true };
  return planWith(order, coins, context);
}

/** The cost of one more input at the chain's least rate: what is worth less is not worth spending. */
export function inputCost(coin: Coin, context: SpendContext): bigint {
  return inputMass(coin, context) * context.terms.minFeePerMass;
}

export function profileOf(address: OwnAddress): InputProfile {
  return address.isKeyRegistered ? 'referenced' : 'inline';
}

function inputMass(coin: Coin, { addressOf, mass }: SpendContext): bigint {
  return addressOf(coin).isKeyRegistered ? mass.referencedInput : mass.inlineInput;
}

/** The mass of an order without the inputs and the change. */
function fixedMass(order: Order, { terms, mass }: SpendContext): bigint {
  const request: TransactionRequest = {
    valid_from_height: '0',
    valid_until_height: '0',
    fee: '0',
    inputs: [placeholderInput(0)],
    outputs: order.payments.map(({ address, amount }) => ({ address, amount: String(amount) })),
    payload_hex: payloadOf(order),
    ...(order.operation === undefined ? {} : { operation: order.operation.request }),
  };
  const operation =
    order.operation === undefined ? {} : { operation: profileOf(order.operation.owner) };
  return quoteMass(request, { inputs: ['inline'], ...operation }, terms) - mass.inlineInput;
}

function rateOf({ feePerMass }: Order, { minFeePerMass }: ChainTerms): bigint {
  return feePerMass === undefined ? minFeePerMass : largest(feePerMass, minFeePerMass);
}

function aboveCap(fee: bigint, feeMax: bigint): WalletError {
  return new WalletError('fee_above_cap', `the fee would be ${fee} atoms, the most is ${feeMax}`, {
    hint: 'raise --max-fee if the fee is right',
  });
}

function largest(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** What the payments and the operation move, without the fee. */
export function totalOf(order: Order): bigint {
  return order.payments.reduce((sum, { amount }) => sum + amount, order.operation?.bonded ?? 0n);
}

/**
 * The payload of an order. Payments are the first outputs, so that their indexes are known before the change is.
 */
export function payloadOf(order: Order): string {
  const entries = order.payments.flatMap(({ payloadText }, at) =>
    payloadText === undefined ? [] : [{ output_index: String(at), text: payloadText }],
  );
  return entries.length === 0 ? '' : toHex(encodeRecipientPayloads(JSON.stringify(entries)));
}

/** Takes a fee out of payments: an equal share of each, the first ones an atom more where it does not divide. */
function subtractFee(payments: readonly Payment[], fee: bigint): Payment[] {
  const count = BigInt(payments.length);
  return payments.map((payment, at) => {
    const share = fee / count + (BigInt(at) < fee % count ? 1n : 0n);
    if (payment.amount > share) return { ...payment, amount: payment.amount - share };
    throw new WalletError(
      'amount_below_fee',
      `${payment.amount} atoms do not cover ${share} of fee`,
      {
        path: payments.length === 1 ? 'amount' : `recipients[${at}].amount`,
      },
    );
  });
}

/**
 * Chooses outputs for a payment: as few as possible, at most as many as the chain allows. If any choice covers the
 * payment one is found, because the outputs worth most after the fee for spending them are tried together.
 */
export function selectCoins(source: CoinSource, task: SelectionTask): Selection {
  const single = source.smallestAtLeast(task.target + task.costMax);
  if (single !== undefined) return { coins: [single] };
  const best = bestCoins(source, task);
  let covered = 0n;
  for (const [at, coin] of best.entries()) {
    covered += worthOf(coin, task);
    if (covered < task.target) continue;
    const kept = best.slice(0, at);
    const open = task.target - (covered - worthOf(coin, task));
    return { coins: [...kept, smallerLast(source, task, kept, open) ?? coin] };
  }
  return { missing: task.target - covered };
}

function worthOf(coin: Coin, task: SelectionTask): bigint {
  return coin.amount - task.costOf(coin);
}

/** The coins worth most after their cost, at most as many as one transaction takes. */
function bestCoins(source: CoinSource, task: SelectionTask): Coin[] {
  const largest = source.largest(CANDIDATES_MAX);
  const last = largest[Math.min(task.inputsMax, largest.length) - 1];
  if (last === undefined) return [];
  return largest
    .filter(({ amount }) => amount + task.costMax >= last.amount)
    .map((coin) => ({ coin, worth: worthOf(coin, task) }))
    .filter(({ worth }) => worth > 0n)
    .sort((a, b) => compare(b.worth, a.worth) || a.coin.id - b.coin.id)
    .slice(0, task.inputsMax)
    .map(({ coin }) => coin);
}

/** The last coin need not be a large one: the smallest that closes the gap leaves the large ones whole. */
function smallerLast(
  source: CoinSource,
  task: SelectionTask,
  kept: readonly Coin[],
  open: bigint,
): Coin | undefined {
  const found = source.smallestAtLeast(open + task.costMax);
  return found === undefined || kept.some(({ id }) => id === found.id) ? undefined : found;
}

function compare(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
