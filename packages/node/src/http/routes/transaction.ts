/** `GET /v1/transactions/{id}`. */
import type { ROUTES, Transaction } from 'svc-api';
import type { ChainReader } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { decodeBlockBody, decodeTransaction, showBody } from 'svc-wasm/protocol';
import { Refused } from '../../refusal/refused.ts';
import type { Services } from '../../services.ts';
import { spentOutputs } from '../reading/spent-outputs.ts';
import type { Handler } from './handler.ts';

export const transaction: Handler<typeof ROUTES.transaction> = (ports, { params: { id } }) =>
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
    const document: Transaction = {
      api_version: 1,
      finalized_height: height,
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
    };
    return { height, document };
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
