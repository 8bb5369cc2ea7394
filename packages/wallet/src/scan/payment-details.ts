/**
 * Finds out what came with payments: the sender's text and who sent them. The transaction is read from the node,
 * hashed here and used only if its hash is the id that was asked for. The id does not cover signatures, so senders are
 * named only after the transaction was verified with the outputs it spent: whoever is named has signed this transaction,
 * whatever the node says.
 */
import type { Transaction } from 'svc-api';
import { type Client, ClientError } from 'svc-client';
import {
  decodeRecipientPayloads,
  inspectTransaction,
  isMessengerPayload,
  type RecipientPayload,
  type RegisteredKeyRequest,
  SvcError,
  type TransactionInspection,
  verifyTransactionWithReferencedKeys,
} from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { nodeFault, reading } from '../node/node-fault.ts';
import type { ChainTerms } from '../spend/chain-terms.ts';
import type { SendersUnknown } from '../state/outputs.ts';
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

interface PreviousOutput {
  readonly address: string;
  readonly amount: string;
}

interface TransactionFacts {
  readonly inspection: TransactionInspection;
  /** The outputs that the transaction spent, once its signatures hold for them. */
  readonly previous: readonly PreviousOutput[] | SendersUnknown;
}

/** An input whose owner has signed that it spends this amount of this address. */
export interface SignedInput extends PreviousOutput {
  readonly transactionId: string;
  readonly outputIndex: number;
}

/** The inputs of a transaction with what their owners signed; undefined if the node does not show them. */
export async function readSignedInputs(
  client: Client,
  terms: ChainTerms,
  id: string,
): Promise<readonly SignedInput[] | undefined> {
  const facts = await readFacts(client, terms, id);
  if (facts === undefined || typeof facts.previous === 'string') return undefined;
  const { inspection, previous } = facts;
  return inspection.inputs.map(({ output_index, transaction_id }, at) => ({
    ...(previous[at] as PreviousOutput),
    transactionId: transaction_id,
    outputIndex: Number(output_index),
  }));
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
  return await factsOf(client, document, terms, id);
}

async function factsOf(
  client: Client,
  document: Transaction,
  terms: ChainTerms,
  id: string,
): Promise<TransactionFacts | undefined> {
  let inspection: TransactionInspection;
  try {
    const wire = fromHex(document.wire_hex);
    inspection = JSON.parse(inspectTransaction(wire, terms.manifest)) as TransactionInspection;
  } catch (error) {
    if (error instanceof SvcError) return undefined;
    throw error;
  }
  if (inspection.transaction_id !== id) return undefined;
  return { inspection, previous: await previousOf(client, document, inspection, terms) };
}

/** The outputs that the transaction spent, once its signatures hold for them. */
async function previousOf(
  client: Client,
  document: Transaction,
  { inputs, witnesses }: TransactionInspection,
  terms: ChainTerms,
): Promise<readonly PreviousOutput[] | SendersUnknown> {
  const previous = inputs.flatMap((_, at) => {
    const { address, amount } = document.inputs[at] ?? {};
    return address === undefined || amount === undefined ? [] : [{ address, amount }];
  });
  if (previous.length !== inputs.length) return 'previous_outputs_unknown';
  const referenced = previous.filter((_, at) => witnesses[at]?.profile === 'referenced');
  const keys = await registeredKeys(client, [...new Set(referenced.map(({ address }) => address))]);
  if (keys === undefined) return 'previous_outputs_unknown';
  try {
    const wire = fromHex(document.wire_hex);
    const [outputs, registered] = [JSON.stringify(previous), JSON.stringify(keys)];
    verifyTransactionWithReferencedKeys(wire, outputs, null, registered, terms.manifest);
  } catch (error) {
    if (error instanceof SvcError) return 'not_verified';
    throw error;
  }
  return previous;
}

/** The keys behind referenced witnesses, or undefined if the node does not know one. A key makes its address. */
async function registeredKeys(
  client: Client,
  addresses: readonly string[],
): Promise<readonly RegisteredKeyRequest[] | undefined> {
  if (addresses.length === 0) return [];
  const { keys } = await reading(client.keysRegistered({ addresses: [...addresses] }));
  const found = keys.flatMap(({ public_key }) =>
    public_key === null ? [] : [{ public_key_hex: public_key }],
  );
  return found.length === addresses.length ? found : undefined;
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
