/**
 * The bytes of a transaction, from the mempool or from a block that carries it.
 */
import type { ChainReader } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { decodeBlockBody } from 'svc-wasm/protocol';
import type { Services } from '../../services.ts';

export async function findWire(
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
