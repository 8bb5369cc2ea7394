/**
 * Finds the signers of a transaction, whatever the node claims. The bytes from the node are hashed here and used only
 * if their hash is the requested id. The id does not cover signatures, so the spent outputs are believed only after
 * the transaction was verified with them: the owner of each has signed this very transaction. That the transaction is
 * final is not shown here.
 */
import {
  inspectTransaction,
  type RegisteredKeyRequest,
  SvcError,
  type TransactionInspection,
  verifyTransactionWithReferencedKeys,
} from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import type { Client } from '../client.ts';
import { ClientError } from '../client-error.ts';
import type { AnswerOf, CallOptions } from '../routes/route-types.ts';

/** Why the senders of a payment are not named. */
export type SendersUnknown =
  /** The node does not keep the transaction, or has shown other bytes than those of its id. */
  | 'not_kept'
  /** The node does not say which outputs the transaction spent, or does not know their registered keys. */
  | 'previous_outputs_unknown'
  /** The signatures do not hold for the previous outputs that the node names. */
  | 'not_verified';

/** An output that a transaction spent, as its signatures confirm it. */
export interface SpentOutput {
  readonly address: string;
  readonly amount: string;
}

/** A transaction whose body is that of its id; nothing is known yet of its witnesses. */
export interface InspectedTransaction {
  readonly inspection: TransactionInspection;
  readonly document: AnswerOf<'transaction'>;
}

/** Reads a transaction; undefined if the node does not keep it or shows other bytes than those of the id. */
export async function readInspected(
  client: Pick<Client, 'transaction'>,
  manifestJson: string,
  id: string,
  options: CallOptions = {},
): Promise<InspectedTransaction | undefined> {
  try {
    const document = await client.transaction({ id }, options);
    const wire = fromHex(document.wire_hex);
    const inspection = JSON.parse(inspectTransaction(wire, manifestJson)) as TransactionInspection;
    return inspection.transaction_id === id ? { inspection, document } : undefined;
  } catch (error) {
    const isNotThere = error instanceof ClientError && error.status === 404;
    if (isNotThere || error instanceof SvcError) return undefined;
    throw error;
  }
}

/** The outputs that the transaction spent, one for each input, once its signatures hold for them. */
export async function readSpentOutputs(
  client: Pick<Client, 'keysRegistered'>,
  manifestJson: string,
  { inspection, document }: InspectedTransaction,
  options: CallOptions = {},
): Promise<readonly SpentOutput[] | Exclude<SendersUnknown, 'not_kept'>> {
  const { inputs, witnesses } = inspection;
  const spent = inputs.flatMap((_, at) => {
    const { address, amount } = document.inputs[at] ?? {};
    return address === undefined || amount === undefined ? [] : [{ address, amount }];
  });
  if (spent.length !== inputs.length) return 'previous_outputs_unknown';
  const referenced = spent.filter((_, at) => witnesses[at]?.profile === 'referenced');
  const owners = [...new Set(referenced.map(({ address }) => address))];
  const keys = await readRegisteredKeys(client, owners, options);
  if (keys === undefined) return 'previous_outputs_unknown';
  try {
    const wire = fromHex(document.wire_hex);
    const [outputs, registered] = [JSON.stringify(spent), JSON.stringify(keys)];
    verifyTransactionWithReferencedKeys(wire, outputs, null, registered, manifestJson);
  } catch (error) {
    if (error instanceof SvcError) return 'not_verified';
    throw error;
  }
  return spent;
}

/** The keys behind referenced witnesses, or undefined if the node does not know one. A key makes its address. */
async function readRegisteredKeys(
  client: Pick<Client, 'keysRegistered'>,
  addresses: string[],
  options: CallOptions,
): Promise<readonly RegisteredKeyRequest[] | undefined> {
  if (addresses.length === 0) return [];
  const { keys } = await client.keysRegistered({ addresses }, options);
  const found = keys.flatMap(({ public_key }) =>
    public_key === null ? [] : [{ public_key_hex: public_key }],
  );
  return found.length === addresses.length ? found : undefined;
}
