/**
 * Finds out what came with payments: the sender's text and who sent them. The transaction is read from the node,
 * hashed here and used only if its hash is the id that was asked for. The sender behind a referenced witness is not
 * in the bytes; for that address the node is believed.
 */
import type { Transaction } from 'svc-api';
import { type Client, ClientError } from 'svc-client';
import {
  addressFromPublicKey,
  decodeRecipientPayloads,
  inspectTransaction,
  isMessengerPayload,
  type RecipientPayload,
  SvcError,
  type TransactionInspection,
} from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { nodeFault } from '../node/node-fault.ts';
import type { ChainTerms } from '../spend/chain-terms.ts';
import { type Change, NO_DETAILS, type PaymentDetails } from './change.ts';

const READ_AT_ONCE = 8;
/** Every payload of the messenger travels on a payment of this many atoms. */
const MESSENGER_ATOMS = '1';

export type DetailsOf = (change: Change) => PaymentDetails;

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
  readonly senders: readonly string[];
}

async function readFacts(
  client: Client,
  terms: ChainTerms,
  id: string,
): Promise<TransactionFacts | undefined> {
  let document: Transaction;
  try {
    document = await client.transaction({ id });
  } catch (error) {
    const isNotThere = error instanceof ClientError && error.status === 404;
    if (isNotThere) return undefined;
    throw nodeFault(error);
  }
  return factsOf(document, terms, id);
}

function factsOf(
  document: Transaction,
  terms: ChainTerms,
  id: string,
): TransactionFacts | undefined {
  let inspection: TransactionInspection;
  try {
    const wire = fromHex(document.wire_hex);
    inspection = JSON.parse(inspectTransaction(wire, terms.manifest)) as TransactionInspection;
  } catch (error) {
    if (error instanceof SvcError) return undefined;
    throw error;
  }
  if (inspection.transaction_id !== id) return undefined;
  const senders = inspection.inputs.flatMap((_, at) => {
    const witness = inspection.witnesses[at];
    if (witness?.profile === 'repeated') return [];
    if (witness?.profile === 'inline') {
      return [addressFromPublicKey(fromHex(witness.public_key_hex), terms.network)];
    }
    const told = document.inputs[at]?.address;
    return told === undefined ? [] : [told];
  });
  return { inspection, senders: [...new Set(senders)] };
}

function detailsOf({ inspection, senders }: TransactionFacts, change: Change): PaymentDetails {
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
