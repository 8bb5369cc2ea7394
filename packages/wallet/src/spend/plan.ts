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
import { coinsOf, sumOf } from '../amounts.ts';
import { WalletError } from '../errors.ts';
import type { SpendingAddress } from '../state/addresses.ts';
import type { Coin } from '../state/outputs.ts';
import { type FloatNeed, type Split, splitFeeOf, splitForFloat } from './float.ts';
import { type ChainTerms, type MassModel, placeholderInput, quoteMass } from './mass-model.ts';
import { type CoinSource, coinsByAddress, selectCoins } from './select-coins.ts';

export interface Payment {
  readonly address: string;
  readonly amount: bigint;
  /** A text for the recipient; everyone can read it. */
  readonly payloadText?: string;
}

export interface OwnedOperation {
  readonly request: OperationRequest;
  /** The address whose key signs the operation. */
  readonly owner: SpendingAddress;
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
  /** What the float lacks; change is not split without. */
  readonly float?: FloatNeed | undefined;
  addressOf(coin: Coin): SpendingAddress;
}

export interface Plan {
  readonly order: Order;
  /** Coins of one address stand side by side: one witness spends them all. */
  readonly coins: readonly Coin[];
  /** Payments as the outputs have them: without the fee if the fee comes out of them. */
  readonly payments: readonly Payment[];
  /** What comes back to the wallet; none if the rest is not worth an output, several if coins of the float are missing. */
  readonly change: readonly bigint[];
  readonly fee: bigint;
  readonly feePerMass: bigint;
}

/** No choice of as many coins as a transaction can spend covers an order. */
export class TooFewCoins extends WalletError {
  /** The atoms that the best choice lacks. */
  readonly missing: bigint;

  constructor(missing: bigint) {
    super('insufficient_funds', 'the free outputs do not cover amount and fee', {
      details: { missing: coinsOf(missing) },
    });
    this.missing = missing;
  }
}

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
    repeatedCost: order.subtractFee ? 0n : context.mass.repeatedInput * rate,
  });
  if ('coins' in found) return planWith(order, found.coins, context);
  throw new TooFewCoins(found.missing);
}

/** Decides a transaction for an order that spends exactly these coins. */
export function planWith(order: Order, chosen: readonly Coin[], context: SpendContext): Plan {
  const rate = rateOf(order, context.terms);
  const coins = coinsByAddress(chosen).flat();
  const inputs = sumOf(coins);
  const leastFee = (fixedMass(order, context) + inputsMass(coins, context)) * rate;
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
  const plan = { order, coins, payments, feePerMass: rate };
  if (!keepsChange) return { ...plan, change: [], fee };
  const { parts } = splitChange(change, order.payments.length, rate, fee, context);
  const extra = BigInt(parts.length - 1) * changeFee;
  return { ...plan, change: parts, fee: fee + extra };
}

/** Splits change into coins that the float lacks, as far as the outputs and the cap of the fee allow. */
function splitChange(
  change: bigint,
  payments: number,
  rate: bigint,
  fee: bigint,
  { feeMax, float, mass, terms }: SpendContext,
): Split {
  if (float === undefined) return { parts: [change], gained: 0 };
  const outputFee = mass.output * rate;
  const affordable = (feeMax - fee) / outputFee + 1n;
  const free = terms.outputsMax - payments;
  const outputsMax = affordable < BigInt(free) ? Number(affordable) : free;
  return splitForFloat(change, {
    ...float,
    outputsMax,
    outputFee,
    splitFee: splitFeeOf(mass, terms),
  });
}

/** Decides a transaction that turns a coin into several that the float lacks, and says how many of them it gains. */
export function planSplit(
  coin: Coin,
  float: FloatNeed,
  context: SpendContext,
): { readonly plan: Plan; readonly gained: number } {
  const order = { payments: [], subtractFee: false };
  const whole = planWith(order, [coin], { ...context, float: undefined });
  const [value = 0n] = whole.change;
  const { gained } = splitChange(value, 0, whole.feePerMass, whole.fee, { ...context, float });
  return { plan: planWith(order, [coin], { ...context, float }), gained };
}

/**
 * Decides a transaction that takes the place of another one which spends the same coins, and pays them back to the wallet:
 * its fee is that of the other and the least for its own mass, which is no larger, so that its rate is better too.
 */
export function planReturn(
  coins: readonly Coin[],
  replacedFee: bigint,
  feePerMass: bigint | undefined,
  context: SpendContext,
): Plan {
  const { mass, terms } = context;
  const nothing = { payments: [], subtractFee: false };
  const own = fixedMass(nothing, context) + inputsMass(coinsByAddress(coins).flat(), context);
  const least = terms.minFeePerMass + (replacedFee + own + mass.output - 1n) / (own + mass.output);
  const order = { ...nothing, feePerMass: largest(feePerMass ?? 0n, least) };
  const inputs = sumOf(coins);
  const isWorthIt = inputs > (own + mass.output + mass.inlineInput) * order.feePerMass;
  if (isWorthIt) return planWith(order, coins, { ...context, float: undefined });
  throw new WalletError('not_cancellable', 'the coins are worth less than the fee of cancelling');
}

/** Decides a transaction that pays everything the coins are worth to one recipient. */
export function planSweep(to: string, coins: readonly Coin[], context: SpendContext): Plan {
  const amount = sumOf(coins);
  const order = { payments: [{ address: to, amount }], subtractFee: true };
  return planWith(order, coins, context);
}

/**
 * Splits coins into transactions that move them all, coins of one address side by side. Coins that are worth less
 * than the fee for spending them, at the chain's least rate, are left out.
 */
export function batchesOf(coins: readonly Coin[], context: SpendContext): Coin[][] {
  const { inputsMax, minFeePerMass } = context.terms;
  const repeatedCost = context.mass.repeatedInput * minFeePerMass;
  const isWorthIt = (run: readonly Coin[]): boolean =>
    sumOf(run) > inputsMass(run, context) * minFeePerMass;
  let batch: Coin[] = [];
  const batches = [batch];
  for (const own of coinsByAddress(coins)) {
    let left = own
      .filter(({ amount }) => amount > repeatedCost)
      .sort((a, b) => (a.amount === b.amount ? a.id - b.id : a.amount > b.amount ? -1 : 1));
    while (left.length > 0) {
      const run = left.slice(0, inputsMax - batch.length);
      if (run.length > 0 && isWorthIt(run)) {
        batch.push(...run);
        left = left.slice(run.length);
      } else if (batch.length > 0) {
        batch = [];
        batches.push(batch);
      } else break;
    }
  }
  return batches.filter((batch) => batch.length > 0);
}

/** Whether the coin at this place is spent by the witness of the one before it. */
export function isRepeated(coins: readonly Coin[], at: number): boolean {
  return at > 0 && coins[at - 1]?.addressId === coins[at]?.addressId;
}

/** How the owner of an operation signs it. */
function profileOf({ owner }: OwnedOperation): InputProfile {
  return owner.isKeyRegistered ? 'referenced' : 'inline';
}

function inputsMass(coins: readonly Coin[], context: SpendContext): bigint {
  return coins.reduce(
    (sum, coin, at) =>
      sum + (isRepeated(coins, at) ? context.mass.repeatedInput : inputMass(coin, context)),
    0n,
  );
}

function inputMass(coin: Coin, { addressOf, mass }: SpendContext): bigint {
  return addressOf(coin).isKeyRegistered ? mass.referencedInput : mass.inlineInput;
}

/** The mass of an order without the inputs and the change. */
function fixedMass(order: Order, { terms, mass }: SpendContext): bigint {
  // Outputs weigh the same, whomever they pay; what the rest of a transaction weighs is left when they are taken off.
  const isPlain = order.payments.every(({ payloadText }) => payloadText === undefined);
  if (isPlain && order.operation === undefined) {
    const outputs = BigInt(order.payments.length);
    return mass.payment - mass.inlineInput + (outputs - 2n) * mass.output;
  }
  const request: TransactionRequest = {
    valid_from_height: '0',
    valid_until_height: '0',
    fee: '0',
    inputs: [placeholderInput(0)],
    outputs: order.payments.map(({ address, amount }) => ({ address, amount: String(amount) })),
    payload_hex: payloadOf(order),
    ...(order.operation === undefined ? {} : { operation: order.operation.request }),
  };
  const operation = order.operation === undefined ? {} : { operation: profileOf(order.operation) };
  return quoteMass(request, { inputs: [mass.profile], ...operation }, terms) - mass.inlineInput;
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
function totalOf(order: Order): bigint {
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
