/** Second part: a payment from request to verified wire, and what happens to a forged one. */
import type { TransactionInspection, TransactionQuote, TransactionVerification } from 'svc-wasm';
import {
  assembleTransaction,
  encodeTransactionBody,
  encodeWitness,
  formatAmount,
  inspectTransaction,
  quoteTransaction,
  SvcError,
  spendMessage,
  verifyTransaction,
} from 'svc-wasm';
import type { Screen } from './screen.ts';
import { short, timed } from './screen.ts';
import type { DemoWallet } from './wallet.ts';

/** Well within the signature, which ends the wire. */
const FORGED_BYTES_FROM_END = 1000;
const SPENT = { amount: '1000000000', transaction_id: 'c0'.repeat(48), output_index: '0' };

/** A payment of 2.5 coins; the change is what the fee leaves. */
function requestOf(to: string, change: string, fee: bigint) {
  return {
    valid_from_height: '1000',
    valid_until_height: '1100',
    fee: String(fee),
    inputs: [{ transaction_id: SPENT.transaction_id, output_index: SPENT.output_index }],
    outputs: [
      { address: to, amount: '250000000' },
      { address: change, amount: String(BigInt(SPENT.amount) - 250_000_000n - fee) },
    ],
    payload_hex: '',
  };
}

export interface PaymentFacts {
  readonly transaction_id: string;
  readonly fee: string;
  readonly forged_is_refused_with: string;
}

export function showPayment(screen: Screen, wallet: DemoWallet, manifest: string): PaymentFacts {
  screen.title('2  A payment');
  const [own = '', to = ''] = wallet.addresses;
  const draft = encodeTransactionBody(JSON.stringify(requestOf(to, own, 1n)), manifest);
  const quote = JSON.parse(quoteTransaction(draft, manifest)) as TransactionQuote;
  screen.say('10 coins are spent: 2.5 go to the second address, the rest comes back as change.');
  screen.facts([
    [
      'mass',
      `${quote.mass}  (${quote.wire_bytes} bytes, ${quote.signatures} signature, 2 outputs)`,
    ],
    ['minimum fee', `${formatAmount(quote.minimum_fee)} coins`],
  ]);

  const request = requestOf(to, own, BigInt(quote.minimum_fee));
  const body = encodeTransactionBody(JSON.stringify(request), manifest);
  const previous = { address: own, amount: SPENT.amount };
  const message = spendMessage(body, 0, JSON.stringify(previous), manifest);
  const signing = timed(() => wallet.root.sign(0, 0, 0, message, true));
  const witness = encodeWitness(wallet.publicKeys[0] as Uint8Array, signing.result);
  const wire = assembleTransaction(body, [witness], manifest);
  const verify = (bytes: Uint8Array) =>
    verifyTransaction(bytes, JSON.stringify([previous]), null, manifest);
  const checking = timed(() => verify(wire));
  const verified = JSON.parse(checking.result) as TransactionVerification;
  screen.done(`signed with ML-DSA-65 in ${signing.time}, verified in ${checking.time}`);

  const inspection = JSON.parse(inspectTransaction(wire, manifest)) as TransactionInspection;
  screen.facts([
    ['transaction', verified.transaction_id],
    ['valid at', `heights ${verified.valid_from_height} to ${verified.valid_until_height}`],
    ...inspection.outputs.map(
      ({ address, amount }) => ['pays', `${formatAmount(amount)}  ${short(address, 16)}`] as const,
    ),
    ['fee', formatAmount(verified.fee)],
  ]);

  const forged = Uint8Array.from(wire);
  const at = wire.length - FORGED_BYTES_FROM_END;
  forged[at] = (forged[at] as number) ^ 1;
  const code = refusalOf(() => verify(forged));
  screen.done(`one bit of the signature changed: refused with ${code}`);
  return {
    transaction_id: verified.transaction_id,
    fee: verified.fee,
    forged_is_refused_with: code,
  };
}

/** The code with which a call is refused. */
export function refusalOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof SvcError) return error.code;
    throw error;
  }
  throw new Error('expected a refusal');
}
