/**
 * Transactions: submitting them and following them, and what signing them needs. A submission takes its own budget before
 * any signature is checked; those of a batch are answered each for itself, and they reach the disk together.
 */
import {
  errorEntry,
  isErrorCode,
  type OutputSource,
  ROUTES,
  type SubmissionReceipt,
  type TransactionReceipt,
} from 'svc-api';
import { keyAddress, outpointOf } from 'svc-ledger';
import { type ChainReader, PAGE_LIMITS } from 'svc-storage';
import { fromHex, toHex } from 'svc-wasm/base';
import { decodeBlockBody, decodeTransaction, showBody } from 'svc-wasm/protocol';
import type { Static } from 'typebox';
import { recentTransaction } from '../../documents/transactions.ts';
import type { Admission, Services } from '../../ports.ts';
import { errorDocument, Refused, statusOf } from '../../refusal.ts';
import { finalizedAt, type Handler, type RoutePorts } from './handler.ts';

export const transactionsRecent: Handler<'transactionsRecent'> = ({ readers }, { query }) =>
  readers.read(async (snapshot) => {
    const { reader, height } = snapshot;
    const rows = await snapshot.once('recent transactions', () =>
      reader.recentTransactions(ROUTES.transactionsRecent.page.maximum),
    );
    const transactions = rows
      .slice(0, query.limit ?? ROUTES.transactionsRecent.page.default)
      .map(recentTransaction);
    return finalizedAt(height, { transactions });
  });

const RETRY_MILLIS = 2_500;

export const transactionSubmit: Handler<'transactionSubmit'> = async (ports, { body, client }) => {
  const wire = fromHex(body.wire_hex, 'wire_hex');
  const receipt = await submitWire(ports, client, wire);
  const document = { api_version: 1, ...receipt } as const;
  return { height: ports.services.chain.head.height, document };
};

/** Takes one transaction for a client, or throws why not. */
async function submitWire(
  { services, guard }: Pick<RoutePorts, 'services' | 'guard'>,
  client: string,
  wire: Uint8Array,
): Promise<Omit<TransactionReceipt, 'api_version'>> {
  const overRate = guard.spendSubmission(client);
  if (overRate !== undefined) {
    const { code, message, retryAfterMillis = RETRY_MILLIS } = overRate;
    throw new Refused(code, message, { retryAfterMillis });
  }
  if (!services.sync().synced) {
    throw new Refused('not_synced', 'the node is catching up', { retryAfterMillis: RETRY_MILLIS });
  }
  const admission = await services.mempool.submit(wire, 'own');
  if (admission.type === 'refused') throw refusedFor(admission);
  return { transaction_id: admission.id, result: admission.type };
}

type RefusedAdmission = Extract<Admission, { readonly type: 'refused' }>;

/** The refusal of a transaction: 422 instead of 400, since the request that carries it is well-formed. */
function refusedFor({ code, message, path }: RefusedAdmission): Refused {
  const known = isErrorCode(code) ? code : 'invalid';
  const { status, retry } = errorEntry(known);
  return new Refused(known, message, {
    path,
    status: status === 400 ? 422 : status,
    ...(retry === 'later' ? { retryAfterMillis: RETRY_MILLIS } : {}),
  });
}

export const transactionsSubmit: Handler<'transactionsSubmit'> = async (
  ports,
  { body, client },
) => {
  // A request that is malformed is refused whole, before anything of it is taken.
  const wires =
    'wires_hex' in body ? body.wires_hex.map((hex, at) => fromHex(hex, `wires_hex[${at}]`)) : body;
  const receipts = await Promise.all(wires.map((wire) => receiptFor(ports, client, wire)));
  const document = { api_version: 1, receipts } as const;
  return { height: ports.services.chain.head.height, document };
};

async function receiptFor(
  ports: RoutePorts,
  client: string,
  wire: Uint8Array,
): Promise<SubmissionReceipt> {
  try {
    return { ...(await submitWire(ports, client, wire)), refusal: null };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { api_version, ...document } = errorDocument(error);
    const refusal = { status: statusOf(error), ...document };
    return { transaction_id: null, result: 'refused', refusal };
  }
}

export const transactionsManifest: Handler<'transactionsManifest'> = ({ services: { chain } }) => ({
  height: chain.head.height,
  text: chain.manifest.json,
});

export const transactionsStatus: Handler<'transactionsStatus'> = (
  { services, readers },
  { body },
) =>
  readers.read(async ({ reader, height }) => {
    const found = await services.statuses.of(body.transaction_ids, reader);
    const statuses = found.filter((status) => status !== null);
    return finalizedAt(height, { statuses });
  });

export const transactionStatus: Handler<'transactionStatus'> = (
  { services, readers },
  { params: { id } },
) =>
  readers.read(async ({ reader, height }) => {
    const [status] = await services.statuses.of([id], reader);
    if (status === undefined || status === null) {
      throw new Refused('not_found', 'this node knows nothing of the transaction', { path: 'id' });
    }
    return { height, document: { api_version: 1, ...status } };
  });

export const transaction: Handler<'transaction'> = (ports, { params: { id } }) =>
  ports.readers.read(async ({ reader, height }) => {
    const { chain, statuses } = ports.services;
    const [status] = await statuses.of([id], reader);
    if (status === undefined || status === null) {
      throw new Refused('not_found', 'this node knows nothing of the transaction', { path: 'id' });
    }
    const wire = await findWire(ports.services, reader, id, status.observed_work?.block_id);
    if (wire === undefined) {
      throw new Refused('not_kept', 'the bytes of the transaction are not kept', { path: 'id' });
    }
    const table = decodeTransaction(wire, chain.manifest);
    const { operation, ...body } = showBody(table, chain.manifest.network);
    const spent = await spentOutputs(ports, reader, id, status.finalized_cut?.height);
    const [record] = await reader.statuses([id]);
    const fee = ports.services.mempool.get(id)?.fee ?? record?.outcome.fee;
    return finalizedAt(height, {
      transaction_id: id,
      status,
      wire_hex: toHex(wire),
      valid_from_height: body.valid_from_height,
      valid_until_height: body.valid_until_height,
      mass: String(table.mass),
      fee: fee === undefined ? null : String(fee),
      inputs: body.inputs.map(({ transaction_id, output_index }) => {
        const outpoint = { transaction_id, output_index: Number(output_index) };
        return { outpoint, ...spent.get(`${transaction_id}:${output_index}`) };
      }),
      outputs: body.outputs.map((output, index) => ({ output_index: index, ...output })),
      payload_hex: body.payload_hex,
      operation:
        operation === undefined ? null : { type: operation.type, data: { ...operation.data } },
    });
  });

/** The bytes of a transaction, from the mempool or from a block that carries it. */
async function findWire(
  { mempool, blocks, chain }: Services,
  reader: ChainReader,
  id: string,
  blockId: string | undefined,
): Promise<Uint8Array | undefined> {
  const pooled = mempool.get(id);
  if (pooled !== undefined) return pooled.wire;
  const body =
    blocks.carrying(id)?.bytes.body ??
    (blockId === undefined ? undefined : await reader.blockBody(blockId));
  if (body === undefined) return undefined;
  const { transactions } = decodeBlockBody(body, chain.manifest);
  return transactions.find((transaction) => toHex(transaction.id) === id)?.wire;
}

interface SpentOutput {
  readonly address: string;
  readonly amount: string;
  readonly source?: Static<typeof OutputSource>;
}

const PAGES_MAX = 8;

/** The outputs found, by `transaction id:output index`. */
async function spentOutputs(
  { services, addresses }: RoutePorts,
  reader: ChainReader,
  id: string,
  executedHeight: number | undefined,
): Promise<ReadonlyMap<string, SpentOutput>> {
  const spent = new Map<string, SpentOutput>();
  const pooled = services.mempool.get(id);
  if (pooled !== undefined) {
    pooled.transaction.inputs.forEach(({ transactionId, outputIndex }, index) => {
      const output = pooled.spent[index];
      if (output === undefined) return;
      const address = addresses.text(output.address);
      spent.set(`${transactionId}:${outputIndex}`, { address, amount: String(output.amount) });
    });
    return spent;
  }
  if (executedHeight === undefined) return spent;
  let after: number | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const limit = PAGE_LIMITS.cutChanges;
    const { rows, next } = await reader.cutChanges(executedHeight, { after, limit });
    for (const { entry } of rows) {
      if (entry.kind !== 'spent' || entry.transactionId !== id) continue;
      const { transactionId, outputIndex } = outpointOf(entry.outpoint);
      const { amount, source } = entry;
      const address = addresses.text(entry.address);
      spent.set(`${transactionId}:${outputIndex}`, { address, amount: String(amount), source });
    }
    if (next === null) break;
    after = next;
  }
  return spent;
}

export const keysRegistered: Handler<'keysRegistered'> = ({ readers, addresses }, { body }) => {
  const hexes = addresses.hexes(body.addresses);
  const hashes = hexes.map((hex) => hex.slice(2));
  return readers.read(async ({ reader, height }) => {
    const records = await reader.keys(hashes);
    const heights = await reader.keyHeights(hashes);
    const keys = hexes.map((hex, index) => {
      const isKey = hex === keyAddress(hashes[index] as string);
      const record = isKey ? records[index] : undefined;
      return {
        address: body.addresses[index] as string,
        registered: record !== undefined,
        public_key: record === undefined ? null : toHex(record.publicKey),
        registered_height: record === undefined ? null : (heights[index] ?? null),
      };
    });
    return finalizedAt(height, { keys });
  });
};
