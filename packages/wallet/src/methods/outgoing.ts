/**
 * The group `outgoing`: payments to others, burns, and moving everything there is. A payment is one transaction that pays
 * all recipients; a sweep or a merge is as many transactions as it takes, up to a limit.
 */
import { burnAddress, formatAmount } from 'svc-wasm';
import { WalletError } from '../base/wallet-error.ts';
import { mergeOutputs } from '../journal/merge-outputs.ts';
import type { Made, MadeTransaction } from '../journal/record.ts';
import type { PaymentBuilder } from '../spend/payment-builder.ts';
import { batchesOf, type Order, type Payment } from '../spend/plan.ts';
import type { Coin } from '../state/outputs.ts';
import { payingMethod, type WalletPorts } from './method.ts';
import { atomsOf, given, ownAddressOf, payeeOf } from './params.ts';

/** Transactions of one call; the result tells what is left for the next. */
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

/** Merging pays nobody, so a caller need not name the request. */
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
  const amount = plan.payments.reduce((sum, payment) => sum + payment.amount, 0n);
  const result = {
    kind,
    ...describe(recipients),
    amount: formatAmount(String(amount)),
    fee: formatAmount(String(plan.fee)),
    fee_per_mass: String(plan.feePerMass),
    transaction: built.transactionId,
  };
  return { transactions: [{ kind, built, amount, recipients }], result };
}

function paidRecipient({ address, amount }: Payment): PaidRecipient {
  return { to: address, amount: formatAmount(String(amount)) };
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
    const amount = plan.payments.reduce((sum, payment) => sum + payment.amount, 0n);
    const recipients = [{ to: kept.to, amount: formatAmount(String(amount)) }];
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
export function sumsOf(transactions: readonly MadeTransaction[]): object {
  const fee = transactions.reduce((sum, { built }) => sum + built.plan.fee, 0n);
  const amount = transactions.reduce((sum, transaction) => sum + transaction.amount, 0n);
  const outputs = transactions.reduce((sum, { built }) => sum + built.plan.coins.length, 0);
  return {
    amount: formatAmount(String(amount)),
    fee: formatAmount(String(fee)),
    fee_per_mass: String(transactions[0]?.built.plan.feePerMass ?? 0n),
    transaction: transactions[0]?.built.transactionId,
    transactions: transactions.map(({ built }) => built.transactionId),
    outputs,
  };
}
