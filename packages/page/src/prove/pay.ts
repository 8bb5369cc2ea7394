/**
 * A payment made in the tab: the key comes from the words, signs here, and only the signed bytes leave. It is for
 * development networks, whose words are public.
 */
import { type AnswerOf, type Client, createClient } from 'svc-client';
import {
  addressFromPublicKey,
  assembleTransaction,
  encodeTransactionBody,
  encodeWitness,
  quoteTransaction,
  spendMessage,
  type TransactionQuote,
  toHex,
  verifyTransaction,
  WalletRoot,
} from 'svc-wasm';

export interface PayOrder {
  readonly words: string;
  /** Which of the addresses of the words pays. */
  readonly from: number;
  readonly to: string;
  readonly atoms: string;
  /** Bytes for the receiver, hexadecimal. */
  readonly payloadHex: string;
}

type Output = AnswerOf<'addressUtxos'>['utxos'][number];

const ACCOUNT = 0;
const BRANCH = 0;
const VALID_CUTS = 100;
const OUTPUTS_ASKED = 512;
/** What one payment spends at most. */
const INPUTS_MAX = 16;

/** Signs and submits; returns the id of the transaction. */
export async function payFromTab(origin: string, order: PayOrder): Promise<string> {
  const client = createClient({ url: origin });
  const manifest = await client.transactionsManifest();
  if (manifest.network !== 'development') {
    throw new Error('keys are typed into a page on development networks only');
  }
  using root = WalletRoot.fromMnemonic(order.words, '', manifest.network);
  const publicKey = root.derivePublicKey(ACCOUNT, BRANCH, order.from);
  const own = addressFromPublicKey(publicKey, manifest.network);
  const wire = await signedWire(client, order, JSON.stringify(manifest), own, (message) =>
    encodeWitness(publicKey, root.sign(ACCOUNT, BRANCH, order.from, message, true)),
  );
  const { transaction_id } = await client.transactionSubmit({ wire_hex: toHex(wire) });
  return transaction_id;
}

async function signedWire(
  client: Client,
  { to, atoms, payloadHex }: PayOrder,
  manifest: string,
  own: string,
  witnessFor: (message: Uint8Array) => Uint8Array,
): Promise<Uint8Array> {
  const { utxos, indexed_height } = await client.addressUtxos({
    address: own,
    limit: OUTPUTS_ASKED,
  });
  const coins = utxos.toSorted((a, b) => (BigInt(a.amount) > BigInt(b.amount) ? -1 : 1));
  for (let count = 1; count <= Math.min(INPUTS_MAX, coins.length); count++) {
    const spent = coins.slice(0, count);
    const sum = spent.reduce((all, { amount }) => all + BigInt(amount), 0n);
    const bodyWith = (fee: bigint) =>
      bodyOf(spent, { to, atoms, payloadHex, own, fee, sum, height: indexed_height }, manifest);
    if (sum <= BigInt(atoms) + 1n) continue;
    const quote = JSON.parse(quoteTransaction(bodyWith(1n), manifest)) as TransactionQuote;
    const fee = BigInt(quote.minimum_fee);
    if (sum < BigInt(atoms) + fee) continue;
    return assembled(bodyWith(fee), spent, own, manifest, witnessFor);
  }
  throw new Error('the account has too little for the amount and the fee');
}

interface BodyOptions {
  readonly to: string;
  readonly atoms: string;
  readonly payloadHex: string;
  readonly own: string;
  readonly fee: bigint;
  readonly sum: bigint;
  readonly height: number;
}

function bodyOf(spent: readonly Output[], options: BodyOptions, manifest: string): Uint8Array {
  const { to, atoms, payloadHex, own, fee, sum, height } = options;
  const change = sum - BigInt(atoms) - fee;
  const request = {
    valid_from_height: String(height),
    valid_until_height: String(height + VALID_CUTS),
    fee: String(fee),
    inputs: spent.map(({ outpoint }) => ({
      transaction_id: outpoint.transaction_id,
      output_index: String(outpoint.output_index),
    })),
    outputs: [
      { address: to, amount: atoms },
      ...(change > 0n ? [{ address: own, amount: String(change) }] : []),
    ],
    payload_hex: payloadHex,
  };
  return encodeTransactionBody(JSON.stringify(request), manifest);
}

function assembled(
  body: Uint8Array,
  spent: readonly Output[],
  own: string,
  manifest: string,
  witnessFor: (message: Uint8Array) => Uint8Array,
): Uint8Array {
  const previous = spent.map(({ amount }) => ({ address: own, amount }));
  const witnesses = previous.map((output, place) =>
    witnessFor(spendMessage(body, place, JSON.stringify(output), manifest)),
  );
  const wire = assembleTransaction(body, witnesses, manifest);
  verifyTransaction(wire, JSON.stringify(previous), null, manifest);
  return wire;
}
