/**
 * The method `cancel`: gives a waiting payment up by paying its coins back to the wallet, at a fee for which nodes let it
 * take the payment's place. So are the coins of a payment that the node refused free before its time has passed: a node that
 * refuses may keep the bytes. Both stay recorded and are followed until the chain has executed one of them or their time
 * has passed; the coins are held until both are decided.
 */
import { type Client, ClientError } from 'svc-client';
import { formatAmount } from 'svc-wasm';
import { WalletError } from '../base/wallet-error.ts';
import { ownTransactions } from '../journal/outgoing.ts';
import type { Made } from '../journal/record.ts';
import { nodeFault } from '../node/node-fault.ts';
import type { PaymentBuilder } from '../spend/payment-builder.ts';
import type { JournalRequest, JournalTransaction } from '../state/journal.ts';
import type { WalletOutput } from '../state/outputs.ts';
import { payingMethod } from './method.ts';

interface KeptCancel {
  /** The name of the payment's request. */
  readonly payment: string;
  /** Atoms for each unit of mass. */
  readonly fee_per_mass?: string;
}

export const cancel = payingMethod('cancel', {
  read: (_, kept): KeptCancel => kept,
  make: makeCancel,
});

async function makeCancel(builder: PaymentBuilder, kept: KeptCancel): Promise<Made> {
  const payment = findPayment(builder, kept.payment);
  const coins = coinsOf(builder, payment);
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
    amount: formatAmount(String(amount)),
    fee: formatAmount(String(plan.fee)),
    fee_per_mass: String(plan.feePerMass),
    transaction: built.transactionId,
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

function coinsOf({ state }: PaymentBuilder, payment: JournalTransaction): readonly WalletOutput[] {
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
