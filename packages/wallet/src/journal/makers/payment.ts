/**
 * Payments to others, and burns: one transaction that pays all recipients.
 */
import { burnAddress, formatAmount } from 'svc-wasm';
import type { Order, Payment } from '../../spend/order.ts';
import type { Workbench } from '../../spend/workbench.ts';
import type { Made } from '../record.ts';

export interface RecipientParams {
  readonly to: string;
  /** Atoms. */
  readonly amount: string;
  readonly payload_text?: string;
}

export interface PaymentParams {
  readonly recipients: readonly RecipientParams[];
  readonly subtract_fee?: boolean;
  readonly compound_first?: boolean;
  /** Atoms for each unit of mass. */
  readonly fee_per_mass?: string;
}

export interface BurnParams {
  readonly amount: string;
  readonly fee_per_mass?: string;
}

export async function makePayment(bench: Workbench, params: PaymentParams): Promise<Made> {
  return await pay(bench, orderOf(params), 'payment', ([paid]) => ({ to: paid?.to }));
}

export async function makePayments(bench: Workbench, params: PaymentParams): Promise<Made> {
  return await pay(bench, orderOf(params), 'payment', (paid) => ({ recipients: paid }));
}

export async function makeBurn(bench: Workbench, params: BurnParams): Promise<Made> {
  const to = burnAddress(bench.context.terms.network);
  const { amount, fee_per_mass } = params;
  const order = orderOf({
    recipients: [{ to, amount }],
    ...(fee_per_mass === undefined ? {} : { fee_per_mass }),
  });
  return await pay(bench, order, 'burn', () => ({}));
}

interface PaidRecipient {
  readonly to: string;
  readonly amount: string;
}

async function pay(
  bench: Workbench,
  order: Order,
  kind: string,
  describe: (paid: readonly PaidRecipient[]) => object,
): Promise<Made> {
  const plan = await bench.plan(order);
  const built = bench.build(plan);
  const recipients = plan.payments.map(recipientOf);
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

function recipientOf({ address, amount }: Payment): PaidRecipient {
  return { to: address, amount: formatAmount(String(amount)) };
}

function orderOf({ recipients, subtract_fee, fee_per_mass }: PaymentParams): Order {
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
