/**
 * Decides a transaction to the atom: inputs, what each recipient gets, change, fee. Everything that it counts
 * with is the wallet's own knowledge; of the node it takes the chain's rules, whose fee has a cap.
 */
import type { InputProfile, TransactionRequest } from 'svc-wasm';
import { WalletError } from '../base/wallet-error.ts';
import type { OwnAddress } from '../state/addresses.ts';
import type { Coin } from '../state/outputs.ts';
import type { ChainTerms } from './chain-terms.ts';
import { type MassModel, placeholderInput, quoteMass } from './mass-model.ts';
import { type Order, type Payment, payloadOf, totalOf } from './order.ts';
import { type CoinSource, selectCoins } from './select-coins.ts';
import { subtractFee } from './subtract-fee.ts';

export interface SpendContext {
  readonly terms: ChainTerms;
  readonly mass: MassModel;
  readonly feeMax: bigint;
  addressOf(coin: Coin): OwnAddress;
}

export interface Plan {
  readonly order: Order;
  readonly coins: readonly Coin[];
  /** As they are paid: less the fee if that comes out of them. */
  readonly payments: readonly Payment[];
  /** Null if the rest is not worth an output. */
  readonly change: bigint | null;
  readonly fee: bigint;
  readonly feePerMass: bigint;
}

/** Chooses coins for an order. */
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

/** Spends exactly these coins. */
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

/** Everything the coins are worth to one recipient. */
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

/** The mass of the order without inputs and change. */
function fixedMass(order: Order, { terms, mass }: SpendContext): bigint {
  const request: TransactionRequest = {
    valid_from_height: '0',
    valid_until_height: '0',
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
