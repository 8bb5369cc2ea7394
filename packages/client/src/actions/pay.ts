/**
 * Pays from an account: reads its final outputs, leaves out those that a waiting transaction spends, signs, checks what it
 * signed, and submits once.
 */
import {
  assembleTransaction,
  encodeRecipientPayloads,
  encodeWitnessWithProfile,
  type InputProfile,
  init,
  spendMessage,
  type TransactionVerification,
  toHex,
  verifyTransaction,
} from 'svc-wasm';
import type { Client } from '../client.ts';
import type { CallOptions } from '../routes/route-types.ts';
import type { Account } from './account.ts';
import {
  type PaymentPlan,
  type PaymentRules,
  planPayment,
  type SpendableOutput,
} from './plan-payment.ts';

/** What actions ask of a node. */
export type PayingClient = Pick<
  Client,
  'chainHead' | 'mempoolPending' | 'pages' | 'submit' | 'transactionsManifest'
>;

/** Sender, recipient and amount. */
export interface PayOptions extends CallOptions {
  readonly from: Account;
  readonly to: string;
  /** Atoms; `coins('1.25')` makes them. */
  readonly amount: bigint;
  /** A text for the recipient; it is public. */
  readonly note?: string;
}

/** A payment that the node has accepted and that is not final yet. */
export interface Paid {
  readonly transactionId: string;
  readonly fee: bigint;
  /** The payment is final before this height or never. */
  readonly validUntil: number;
}

/** How many cuts a payment may wait; the chain's own limit if that is less. */
const VALID_CUTS = 100;

/**
 * Pays and resolves once the node has the payment; it is done when `client.waitFinal(transactionId)` says so.
 *
 * @example
 * const { transactionId } = await pay(client, { from: account, to: address, amount: coins('1.25') });
 */
export async function pay(client: PayingClient, options: PayOptions): Promise<Paid> {
  const { note, to, amount, from } = options;
  await init();
  const payloadHex =
    note === undefined
      ? ''
      : toHex(encodeRecipientPayloads(JSON.stringify([{ output_index: '0', text: note }])));
  return payWithPayload(client, { from, to, amount, payloadHex, options });
}

/** A payment that carries bytes of the caller beside the amount. */
export interface PayloadPayment {
  readonly from: Account;
  readonly to: string;
  readonly amount: bigint;
  readonly payloadHex: string;
  readonly options: CallOptions;
}

/** Pays with a payload that was encoded before. */
export async function payWithPayload(
  client: PayingClient,
  { from, to, amount, payloadHex, options }: PayloadPayment,
): Promise<Paid> {
  const planned = await planFor(client, {
    address: from.address,
    to,
    amount,
    payloadHex,
    profile: 'inline',
    options,
  });
  const { plan, rules, validUntil } = planned;
  const previous = plan.spent.map((output) => ({
    address: from.address,
    amount: String(output.amount),
  }));
  const message = spendMessage(plan.body, 0, JSON.stringify(previous[0]), rules.manifest);
  const first = encodeWitnessWithProfile('inline', from.publicKey, from.signSpend(message));
  const others = plan.spent.slice(1).map(() => encodeWitnessWithProfile('repeated', null, null));
  const wire = assembleTransaction(plan.body, [first, ...others], rules.manifest);
  const verified = JSON.parse(
    verifyTransaction(wire, JSON.stringify(previous), null, rules.manifest),
  ) as TransactionVerification;
  const transactionId = verified.transaction_id;
  await client.submit({ wire_hex: toHex(wire), transaction_id: transactionId }, options);
  return { transactionId, fee: plan.fee, validUntil };
}

export interface PlannedPayment {
  readonly plan: PaymentPlan;
  readonly rules: PaymentRules;
  readonly validUntil: number;
}

/** Reads what an address can spend and decides a payment from it. */
export async function planFor(
  client: PayingClient,
  wish: {
    readonly address: string;
    readonly to: string;
    readonly amount: bigint;
    readonly payloadHex: string;
    readonly profile: InputProfile;
    readonly options: CallOptions;
  },
): Promise<PlannedPayment> {
  const call = wish.options.signal === undefined ? {} : { signal: wish.options.signal };
  const [manifest, head] = await Promise.all([
    client.transactionsManifest({}, call),
    client.chainHead({}, call),
  ]);
  const rules = { manifest: JSON.stringify(manifest), inputsMax: Number(manifest.max_inputs) };
  const { height } = head.cut;
  const validUntil = height + Math.min(VALID_CUTS, Number(manifest.max_validity_cuts));
  const available = await spendableOutputs(client, wish.address, call);
  const plan = planPayment(
    {
      from: wish.address,
      outputs: [{ address: wish.to, amount: wish.amount }],
      payloadHex: wish.payloadHex,
      profile: wish.profile,
      validFrom: height,
      validUntil,
    },
    available,
    rules,
  );
  return { plan, rules, validUntil };
}

async function spendableOutputs(
  client: PayingClient,
  address: string,
  options: CallOptions,
): Promise<SpendableOutput[]> {
  const { transactions } = await client.mempoolPending({ addresses: [address] }, options);
  const nameOf = (outpoint: { transaction_id: string; output_index: number }): string =>
    `${outpoint.transaction_id}:${outpoint.output_index}`;
  const waiting = new Set(
    transactions.flatMap(({ spent }) => spent.map(({ outpoint }) => nameOf(outpoint))),
  );
  const found: SpendableOutput[] = [];
  for await (const { outpoint, amount } of client.pages.addressUtxos({ address }, options)) {
    if (waiting.has(nameOf(outpoint))) continue;
    const { transaction_id: transactionId, output_index: outputIndex } = outpoint;
    found.push({ transactionId, outputIndex, amount: BigInt(amount) });
  }
  return found;
}
