/**
 * The group `outgoing`: payments to others, burns, moving everything there is, splitting coins, cancelling. A payment is one
 * transaction that pays all recipients; a sweep, a merge or a split is as many transactions as it takes, up to a limit.
 */

import type { MethodResult } from 'svc-api/rpc';
import { type Client, ClientError } from 'svc-client';
import { burnAddress } from 'svc-wasm';
import { coinsOf, sumOf } from '../amounts.ts';
import { WalletError } from '../errors.ts';
import { mergeOutputs } from '../journal/compound-first.ts';
import { outcomeOf, ownTransactions } from '../journal/outgoing.ts';
import type { Made, MadeTransaction } from '../journal/record.ts';
import { nodeFault } from '../node/node-fault.ts';
import type { BuiltTransaction } from '../spend/build.ts';
import type { PaymentBuilder } from '../spend/payment-builder.ts';
import { batchesOf, type Order, type Payment, type Plan } from '../spend/plan.ts';
import type { JournalRequest, JournalTransaction } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import type { Coin, WalletOutput } from '../state/outputs.ts';
import {
  atomsOf,
  given,
  type Handler,
  ownAddressOf,
  payeeOf,
  payingMethod,
  type WalletPorts,
} from './method.ts';

/** Transactions of one call; the result says what is left for the next. */
const TRANSACTIONS_MAX = 64;

interface KeptRecipient {
  readonly to: string;
  /** Atoms. */
  readonly amount: string;
  readonly payload_text?: string;
}

interface KeptPayment {
  readonly recipients: readonly KeptRecipient[];
  readonly subtract_fee?: boolean;
  readonly compound_first?: boolean;
  /** Atoms for each unit of mass. */
  readonly fee_per_mass?: string;
  /** Cuts for which the payment can be executed. */
  readonly valid_cuts?: number;
}

interface KeptSweep {
  readonly to: string;
  /** Only what this address of the wallet holds. */
  readonly address?: string;
  /** Only payments to addresses that were given out: no change. The daemon's own sweeps say so. */
  readonly payments_only?: boolean;
  /** Without the coins of this float; its amount is in atoms. */
  readonly leave_float?: { readonly count: number; readonly amount: string };
}

interface KeptMerge {
  readonly address?: string;
}

export const send = payingMethod('send', {
  read: (wallet, { amount, payload_text, to, ...options }): KeptPayment => {
    const recipient = { to: payeeOf(wallet, to, 'to'), amount: atomsOf(amount, 'amount') };
    return { recipients: [{ ...recipient, ...given({ payload_text }) }], ...options };
  },
  make: (builder, kept) => makePayment(builder, kept, 'payment', ([paid]) => ({ to: paid?.to })),
});

/** One address may be named several times; each time it gets an output of its own. */
export const sendMany = payingMethod('send_many', {
  read: (wallet, { recipients, ...options }): KeptPayment => ({
    recipients: recipients.map(({ amount, payload_text, to }, at) => ({
      to: payeeOf(wallet, to, `recipients[${at}].to`),
      amount: atomsOf(amount, `recipients[${at}].amount`),
      ...given({ payload_text }),
    })),
    ...options,
  }),
  make: (builder, kept) => makePayment(builder, kept, 'payment', (paid) => ({ recipients: paid })),
});

export const burn = payingMethod('burn', {
  read: (_, { amount, ...options }) => ({ amount: atomsOf(amount, 'amount'), ...options }),
  make: (builder, { amount, fee_per_mass }) => {
    const to = burnAddress(builder.context.terms.network);
    const kept = { recipients: [{ to, amount }], ...given({ fee_per_mass }) };
    return makePayment(builder, kept, 'burn', () => ({}));
  },
});

export const sweep = payingMethod('sweep', {
  read: (wallet, { address, leave_float, to }): KeptSweep => ({
    to: payeeOf(wallet, to, 'to'),
    ...(leave_float === true ? { leave_float: keptFloat(wallet, address) } : {}),
    ...(address === undefined ? {} : { address: ownAddressOf(wallet, address, 'address').address }),
  }),
  make: makeSweep,
});

function keptFloat(
  { float }: WalletPorts,
  address: string | undefined,
): NonNullable<KeptSweep['leave_float']> {
  if (address !== undefined) {
    const message = 'the float lies at many addresses: it is left when everything is swept';
    throw new WalletError('invalid_params', message, { path: 'leave_float' });
  }
  if (float !== null) return { count: float.count, amount: String(float.amount) };
  throw new WalletError('invalid_params', 'the daemon keeps no float', {
    path: 'leave_float',
    hint: 'start it with --float',
  });
}

/** Merging pays no recipient, so a caller need not name the request. */
export const compound = payingMethod('compound', {
  read: (wallet, { address }): KeptMerge =>
    address === undefined ? {} : { address: ownAddressOf(wallet, address, 'address').address },
  make: makeMerge,
});

interface PaidRecipient {
  readonly to: string;
  readonly amount: string;
}

async function makePayment(
  builder: PaymentBuilder,
  kept: KeptPayment,
  kind: string,
  describe: (paid: readonly PaidRecipient[]) => object,
): Promise<Made> {
  const plan = await builder.plan(orderOf(kept));
  const built = builder.build(plan, kept.valid_cuts);
  const recipients = plan.payments.map(paidRecipient);
  const amount = sumOf(plan.payments);
  const result = {
    kind,
    ...describe(recipients),
    amount: coinsOf(amount),
    ...sentOf(plan, built),
  };
  return { transactions: [{ kind, built, amount, recipients }], result };
}

/** The fields that results of one transaction share. */
function sentOf(plan: Plan, built: BuiltTransaction) {
  return {
    fee: coinsOf(plan.fee),
    fee_per_mass: String(plan.feePerMass),
    transaction: built.transactionId,
  };
}

function paidRecipient({ address, amount }: Payment): PaidRecipient {
  return { to: address, amount: coinsOf(amount) };
}

function orderOf({ recipients, subtract_fee, fee_per_mass }: KeptPayment): Order {
  return {
    payments: recipients.map(({ to, amount, payload_text }) => ({
      address: to,
      amount: BigInt(amount),
      ...(payload_text === undefined ? {} : { payloadText: payload_text }),
    })),
    subtractFee: subtract_fee === true,
    ...(fee_per_mass === undefined ? {} : { feePerMass: BigInt(fee_per_mass) }),
  };
}

async function makeSweep(builder: PaymentBuilder, kept: KeptSweep): Promise<Made> {
  const { coins, more } = coinsToMove(builder, kept);
  const transactions: MadeTransaction[] = [];
  for (const batch of batchesOf(coins, builder.context)) {
    const plan = await builder.planSweep(kept.to, batch);
    const amount = sumOf(plan.payments);
    const recipients = [{ to: kept.to, amount: coinsOf(amount) }];
    transactions.push({ kind: 'sweep', built: builder.build(plan), amount, recipients });
  }
  if (transactions.length === 0) {
    throw new WalletError('nothing_to_do', 'no output is worth more than the fee for spending it');
  }
  const result = { kind: 'sweep', to: kept.to, ...sumsOf(transactions), more };
  return { transactions, result };
}

/** Merges the smallest outputs, of the wallet or of one address. */
async function makeMerge(builder: PaymentBuilder, kept: KeptMerge): Promise<Made> {
  const transactions = await mergeOutputs(builder, coinsToMove(builder, kept).coins);
  if (transactions.length === 0) {
    throw new WalletError('nothing_to_do', 'there are not two outputs worth merging');
  }
  return { transactions, result: { kind: 'compound', ...sumsOf(transactions) } };
}

function coinsToMove(
  builder: PaymentBuilder,
  kept: Omit<KeptSweep, 'to'>,
): { coins: Coin[]; more: boolean } {
  const limit = TRANSACTIONS_MAX * builder.context.terms.inputsMax;
  const found = findCoins(builder, kept, limit + 1);
  return { coins: found.slice(0, limit), more: found.length > limit };
}

function findCoins(
  { state }: PaymentBuilder,
  { address, leave_float, payments_only }: Omit<KeptSweep, 'to'>,
  limit: number,
): Coin[] {
  if (leave_float !== undefined) {
    return state.outputs.freeBeyond(BigInt(leave_float.amount), leave_float.count, limit);
  }
  if (address === undefined) {
    return payments_only === true
      ? state.outputs.freePayments(limit)
      : state.outputs.smallest(limit);
  }
  const own = state.addresses.find(address);
  if (own !== undefined) return state.outputs.freeOf(own.id, limit);
  throw new WalletError('unknown_address', 'the address does not belong to this wallet', {
    path: 'address',
  });
}

/** The figures that results of several transactions share. */
function sumsOf(transactions: readonly MadeTransaction[]): object {
  const fee = transactions.reduce((sum, { built }) => sum + built.plan.fee, 0n);
  const amount = sumOf(transactions);
  const outputs = transactions.reduce((sum, { built }) => sum + built.plan.coins.length, 0);
  return {
    amount: coinsOf(amount),
    fee: coinsOf(fee),
    fee_per_mass: String(transactions[0]?.built.plan.feePerMass ?? 0n),
    transaction: transactions[0]?.built.transactionId,
    transactions: transactions.map(({ built }) => built.transactionId),
    outputs,
  };
}

interface KeptFloat {
  readonly count: number;
  /** Atoms. */
  readonly amount: string;
}

/**
 * Turns large outputs into those that a float lacks, and pays no one. A call splits outputs that are final; where many are
 * missing, further calls split the parts again.
 */
export const split = payingMethod('split', {
  read: (_, { amount, count }): KeptFloat => ({ count, amount: atomsOf(amount, 'amount') }),
  make: makeSplit,
});

/** Small outputs are split first: parts of an earlier split are, and the largest output is left for large payments. */
async function makeSplit(builder: PaymentBuilder, { amount, count }: KeptFloat): Promise<Made> {
  const { missing, piece } = builder.needOf({ count, amount: BigInt(amount) });
  const transactions: MadeTransaction[] = [];
  let left = missing;
  for (const coin of left === 0
    ? []
    : builder.state.outputs.freeAtLeast(2n * piece, TRANSACTIONS_MAX)) {
    if (left === 0) break;
    const { gained, plan } = await builder.planSplit(coin, { missing: left, piece });
    if (gained === 0) continue;
    left -= gained;
    const value = plan.change.reduce((sum, part) => sum + part, 0n);
    const recipients = plan.change.map((part) => ({ amount: coinsOf(part) }));
    transactions.push({ kind: 'split', built: builder.build(plan), amount: value, recipients });
  }
  if (transactions.length === 0) {
    const message =
      missing === 0 ? 'no output is missing' : 'no output is large enough to be split';
    throw new WalletError('nothing_to_do', message);
  }
  const parts = transactions.reduce((sum, { built }) => sum + built.plan.change.length - 1, 0);
  const result = {
    kind: 'split',
    ...sumsOf(transactions),
    missing: Math.max(0, missing - 1 - parts),
  };
  return { transactions, result };
}

interface KeptCancel {
  /** The name of the payment's request. */
  readonly payment: string;
  /** Atoms for each unit of mass. */
  readonly fee_per_mass?: string;
}

/**
 * Cancels a pending payment: pays its coins back to the wallet, at a fee for which nodes let it replace the payment. The coins
 * of a payment that the node refused are freed the same way before it expires: a node that refuses may keep the bytes. Both
 * stay recorded and are followed until the chain has executed one of them or both have expired.
 */
export const cancel = payingMethod('cancel', {
  read: (_, kept): KeptCancel => kept,
  make: makeCancel,
});

async function makeCancel(builder: PaymentBuilder, kept: KeptCancel): Promise<Made> {
  const payment = findPayment(builder, kept.payment);
  const coins = coinsReservedFor(builder, payment);
  await expectNotRegistered(builder.client, payment);
  const rate = kept.fee_per_mass === undefined ? undefined : BigInt(kept.fee_per_mass);
  const plan = await builder.planReturn(coins, payment.fee, rate);
  // The last cut is the payment's: afterwards neither can be executed.
  const built = builder.build(plan, payment.validUntil - builder.height);
  const amount = plan.change.reduce((sum, part) => sum + part, 0n);
  const result = {
    kind: 'cancel',
    payment: kept.payment,
    payment_transaction: payment.transactionId,
    amount: coinsOf(amount),
    ...sentOf(plan, built),
  };
  const recipients = [{ amount: result.amount }];
  const made = { kind: 'cancel', built, amount, recipients, replaces: payment.id };
  return { transactions: [made], result };
}

/** The one open transaction of a request, if it may still be cancelled. */
function findPayment({ height, state }: PaymentBuilder, requestId: string): JournalTransaction {
  const { journal } = state;
  const request = journal.findRequest(requestId);
  if (request === undefined) {
    const message = 'the wallet has recorded no request of this name';
    throw new WalletError('unknown_request', message, { path: 'payment' });
  }
  if (request.state === 'accepted') {
    throw new WalletError('wallet_busy', 'outputs are being merged before the payment is made');
  }
  const payment = onlyTransaction(request, journal.transactionsOf(request.id));
  const { outcome, transactionId: transaction } = payment;
  if (outcome !== null) {
    throw notCancellable(`the payment is decided: ${outcome}`, { transaction, outcome });
  }
  if (payment.validUntil <= height) {
    throw notCancellable('the time of the payment has passed', { transaction });
  }
  const earlier = journal.replacementOf(payment.id);
  if (earlier === undefined) return payment;
  const { requestId: cancelled_by } = journal.request(earlier.request);
  const message = `the payment is being cancelled by the request ${cancelled_by}`;
  throw notCancellable(message, { transaction, cancelled_by });
}

function onlyTransaction(
  request: JournalRequest,
  all: readonly JournalTransaction[],
): JournalTransaction {
  if (request.method === 'cancel') throw notCancellable('the request is a cancellation itself');
  const own = ownTransactions(request, all);
  const [payment] = own;
  if (payment !== undefined && own.length === 1) return payment;
  throw notCancellable(`the request has ${own.length} transactions, and one can be cancelled`);
}

function coinsReservedFor(
  { state }: PaymentBuilder,
  payment: JournalTransaction,
): readonly WalletOutput[] {
  const coins = state.outputs.reservedBy(payment.id);
  const { transactionId: transaction } = payment;
  if (coins.some(({ spentBy }) => spentBy !== null)) {
    throw notCancellable('a cut has spent its coins already', { transaction });
  }
  if (coins.length > 0) return coins;
  throw notCancellable('the wallet does not hold its coins', { transaction });
}

/** A block that a cut has registered is executed by the next one, whatever is sent meanwhile. */
async function expectNotRegistered(
  client: Client,
  { transactionId: transaction }: JournalTransaction,
): Promise<void> {
  try {
    const { lifecycle } = await client.transactionStatus({ id: transaction });
    if (lifecycle !== 'registered' && lifecycle !== 'finalized') return;
    throw notCancellable(`the payment is ${lifecycle}: it is too late`, { transaction, lifecycle });
  } catch (error) {
    const isUnknown = error instanceof ClientError && error.status === 404;
    if (error instanceof WalletError) throw error;
    if (!isUnknown) throw nodeFault(error);
  }
}

function notCancellable(message: string, details: Record<string, unknown> = {}): WalletError {
  return new WalletError('not_cancellable', message, { path: 'payment', details });
}

type Found = MethodResult<'request'>;

const STATES = { accepted: 'making', built: 'made', refused: 'refused' } as const;

export const request: Handler<'request'> = ({ outgoing, scanner, state }, { request_id }) => {
  const known = state.journal.findRequest(request_id);
  const indexed_height = scanner.indexedHeight;
  if (known !== undefined) {
    const transactions = state.journal.transactionsOf(known.id);
    const cancelled_by = cancellationOf(state, transactions);
    const isHeld = state.stopped.isHeld(known.id);
    return { ...recorded(known, transactions, isHeld), cancelled_by, indexed_height };
  }
  const method = outgoing.methodInFlight(request_id);
  if (method !== undefined) {
    return { ...beingMade(request_id, method), cancelled_by: null, indexed_height };
  }
  throw new WalletError('unknown_request', 'the wallet has recorded no request of this name', {
    path: 'request_id',
    hint: 'nothing was paid under it; repeat the call that pays, with the same request_id',
  });
};

/** The name of the request that cancels one of the transactions. */
function cancellationOf(
  { journal }: Pick<State, 'journal'>,
  transactions: readonly JournalTransaction[],
): string | null {
  for (const { id } of transactions) {
    const replacement = journal.replacementOf(id);
    if (replacement !== undefined) return journal.request(replacement.request).requestId;
  }
  return null;
}

function recorded(
  known: JournalRequest,
  transactions: readonly JournalTransaction[],
  isHeld: boolean,
): Omit<Found, 'indexed_height' | 'cancelled_by'> {
  const isMade = known.state === 'built';
  return {
    request_id: known.requestId,
    method: known.method,
    state: STATES[known.state],
    ...(isHeld ? { held: true } : {}),
    outcome: isMade ? outcomeOf(ownTransactions(known, transactions)) : null,
    result: known.result === null ? null : (JSON.parse(known.result) as Found['result']),
    refusal: known.refusal === null ? null : (JSON.parse(known.refusal) as Found['refusal']),
    transactions: transactions.map(({ amount, fee, ...transaction }) => ({
      transaction: transaction.transactionId,
      kind: transaction.kind,
      state: transaction.state,
      outcome: transaction.outcome,
      amount: coinsOf(amount),
      fee: coinsOf(fee),
      height: transaction.finalHeight,
      valid_until_height: transaction.validUntil,
    })),
    created_at_millis: known.createdAtMillis,
  };
}

/** A call that has not been recorded: it is paid or refused when it has been. */
function beingMade(
  requestId: string,
  method: string,
): Omit<Found, 'indexed_height' | 'cancelled_by'> {
  return {
    request_id: requestId,
    method,
    state: 'making',
    outcome: null,
    result: null,
    refusal: null,
    transactions: [],
    created_at_millis: null,
  };
}
