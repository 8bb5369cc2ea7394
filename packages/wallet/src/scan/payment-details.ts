/**
 * Finds out what came with payments: the sender's text and who sent them. Neither is taken on the word of the node: the text
 * is that of a body with the id that was asked for, and each sender that is named has signed this very transaction.
 */

import type { ReceivedPayment } from 'svc-api/rpc';
import {
  type Client,
  readInspected,
  readSpentOutputs,
  type SendersUnknown,
  type SpentOutput,
} from 'svc-client';
import {
  decodeRecipientPayloads,
  isMessengerPayload,
  type RecipientPayload,
  SvcError,
  type TransactionInspection,
} from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { coinsOf } from '../amounts.ts';
import { reading } from '../node/node-fault.ts';
import type { ChainTerms } from '../spend/mass-model.ts';
import type { WalletOutput } from '../state/outputs.ts';
import { type Change, NO_DETAILS, type PaymentDetails } from './change.ts';

const READ_AT_ONCE = 8;
/** Every payload of the messenger travels on a payment of this many atoms. */
const MESSENGER_ATOMS = '1';

type DetailsOf = (change: Change) => PaymentDetails;

/** Reads the transactions behind the changes, a few at a time. */
export async function readDetails(
  client: Client,
  terms: ChainTerms,
  changes: readonly Change[],
): Promise<DetailsOf> {
  const found = new Map<string, TransactionFacts>();
  const wanted = new Set(changes.map(({ transaction_id }) => transaction_id)).values();
  const worker = async (): Promise<void> => {
    for (const id of wanted) {
      const facts = await readFacts(client, terms, id);
      if (facts !== undefined) found.set(id, facts);
    }
  };
  await Promise.all(Array.from({ length: READ_AT_ONCE }, worker));
  return (change) => {
    const facts = found.get(change.transaction_id);
    return facts === undefined ? NO_DETAILS : detailsOf(facts, change);
  };
}

interface TransactionFacts {
  readonly inspection: TransactionInspection;
  /** The outputs that the transaction spent, once its signatures hold for them. */
  readonly previous: readonly SpentOutput[] | SendersUnknown;
}

async function readFacts(
  client: Client,
  { manifest }: ChainTerms,
  id: string,
): Promise<TransactionFacts | undefined> {
  const transaction = await reading(readInspected(client, manifest, id));
  if (transaction === undefined) return undefined;
  const previous = await reading(readSpentOutputs(client, manifest, transaction));
  return { inspection: transaction.inspection, previous };
}

function detailsOf({ inspection, previous }: TransactionFacts, change: Change): PaymentDetails {
  const senders =
    typeof previous === 'string' ? previous : [...new Set(previous.map(({ address }) => address))];
  const payload = fromHex(inspection.payload_hex);
  if (change.amount === MESSENGER_ATOMS && isMessengerPayload(payload)) {
    return { payloadText: null, payloadHex: null, senders, isMessenger: true };
  }
  const entry = payloadFor(payload, inspection.outputs.length, change.outpoint.output_index);
  return {
    payloadText: entry !== undefined && 'text' in entry ? entry.text : null,
    payloadHex: entry !== undefined && 'bytes_hex' in entry ? entry.bytes_hex : null,
    senders,
    isMessenger: false,
  };
}

function payloadFor(
  payload: Uint8Array,
  outputs: number,
  at: number,
): RecipientPayload | undefined {
  if (payload.length === 0) return undefined;
  try {
    const entries = JSON.parse(decodeRecipientPayloads(payload, outputs)) as RecipientPayload[];
    return entries.find(({ output_index }) => Number(output_index) === at);
  } catch (error) {
    if (error instanceof SvcError) return undefined;
    throw error;
  }
}

/** A message of the messenger is a payment without payload fields. */
export function paymentDocument(output: WalletOutput, indexedHeight: number): ReceivedPayment {
  const payload = {
    payload_text: output.payloadText,
    ...(output.payloadHex === null ? {} : { payload_hex: output.payloadHex }),
  };
  return {
    transaction: output.transactionId,
    output: output.outputIndex,
    address: output.address,
    label: output.label,
    amount: coinsOf(output.amount),
    source: output.source as ReceivedPayment['source'],
    height: output.height,
    confirmations: Math.max(1, indexedHeight - output.height + 1),
    ...(output.isMessenger ? { messenger: true } : payload),
    ...(typeof output.senders === 'string'
      ? { senders: [], senders_unknown: output.senders }
      : { senders: [...output.senders] }),
  };
}
