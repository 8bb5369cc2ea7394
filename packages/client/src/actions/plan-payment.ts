/**
 * Decides a payment from one address to the atom: which outputs it spends, what change comes back, and the fee. Pure:
 * it makes no requests and reserves nothing.
 */
import {
  encodeTransactionBody,
  type InputProfile,
  quoteTransactionWithInputProfiles,
  type TransactionQuote,
  type TransactionRequest,
} from 'svc-wasm';
import { ClientError } from '../client-error.ts';

export interface SpendableOutput {
  readonly transactionId: string;
  readonly outputIndex: number;
  readonly amount: bigint;
}

export interface PaymentPlan {
  readonly body: Uint8Array;
  readonly spent: readonly SpendableOutput[];
  readonly fee: bigint;
}

export interface PaymentWish {
  /** The address of the outputs and of the change. */
  readonly from: string;
  readonly outputs: readonly { readonly address: string; readonly amount: bigint }[];
  readonly payloadHex: string;
  /** The witness of the first input; the others repeat it. */
  readonly profile: InputProfile;
  readonly validFrom: number;
  readonly validUntil: number;
}

export interface PaymentRules {
  /** The manifest of the chain as JSON. */
  readonly manifest: string;
  readonly inputsMax: number;
}

/** Throws a `ClientError` with the code `insufficient_funds` if the outputs do not cover amount and fee. */
export function planPayment(
  wish: PaymentWish,
  available: readonly SpendableOutput[],
  rules: PaymentRules,
): PaymentPlan {
  const amount = wish.outputs.reduce((sum, output) => sum + output.amount, 0n);
  const largestFirst = [...available].sort((a, b) => (a.amount > b.amount ? -1 : 1));
  const single = largestFirst.findLast((output) => output.amount >= amount);
  const choices = single === undefined ? [] : [[single]];
  for (let count = 1; count <= Math.min(rules.inputsMax, largestFirst.length); count++)
    choices.push(largestFirst.slice(0, count));
  let missing = amount;
  for (const spent of choices) {
    const total = spent.reduce((sum, output) => sum + output.amount, 0n);
    const found = planWith(wish, spent, total - amount, rules);
    if (found.plan !== undefined) return found.plan;
    if (found.missing < missing) missing = found.missing;
  }
  throw new ClientError('refused', `${missing} atoms are missing for amount and fee`, {
    code: 'insufficient_funds',
    hint:
      available.length > rules.inputsMax
        ? `one payment spends at most ${rules.inputsMax} outputs: pay to yourself first, or pay less`
        : 'outputs that an earlier payment spends come back when it is final',
  });
}

/** `rest` is what the outputs leave beyond the amount. */
function planWith(
  wish: PaymentWish,
  spent: readonly SpendableOutput[],
  rest: bigint,
  rules: PaymentRules,
): { readonly plan?: PaymentPlan; readonly missing: bigint } {
  if (rest < 0n) return { missing: -rest };
  const withChange = quote(wish, spent, 1n, rules);
  if (rest > withChange.fee) {
    const { fee } = withChange;
    return { plan: { body: bodyOf(wish, spent, rest - fee, fee, rules), spent, fee }, missing: 0n };
  }
  const least = quote(wish, spent, 0n, rules).fee;
  if (rest < least) return { missing: least - rest };
  return { plan: { body: bodyOf(wish, spent, 0n, rest, rules), spent, fee: rest }, missing: 0n };
}

function quote(
  wish: PaymentWish,
  spent: readonly SpendableOutput[],
  change: bigint,
  rules: PaymentRules,
): { readonly fee: bigint } {
  const inputs: InputProfile[] = spent.map((_, at) => (at === 0 ? wish.profile : 'repeated'));
  const body = bodyOf(wish, spent, change, 1n, rules);
  const text = quoteTransactionWithInputProfiles(body, JSON.stringify({ inputs }), rules.manifest);
  return { fee: BigInt((JSON.parse(text) as TransactionQuote).minimum_fee) };
}

function bodyOf(
  wish: PaymentWish,
  spent: readonly SpendableOutput[],
  change: bigint,
  fee: bigint,
  { manifest }: PaymentRules,
): Uint8Array {
  const back = change === 0n ? [] : [{ address: wish.from, amount: change }];
  const request: TransactionRequest = {
    valid_from_height: String(wish.validFrom),
    valid_until_height: String(wish.validUntil),
    fee: String(fee),
    inputs: spent.map(({ transactionId, outputIndex }, at) => ({
      transaction_id: transactionId,
      output_index: String(outputIndex),
      ...(at === 0 ? {} : { repeated: true }),
    })),
    outputs: [...wish.outputs, ...back].map(({ address, amount }) => ({
      address,
      amount: String(amount),
    })),
    payload_hex: wish.payloadHex,
  };
  return encodeTransactionBody(JSON.stringify(request), manifest);
}
