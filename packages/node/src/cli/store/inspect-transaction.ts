/**
 * One transaction of a store, by id: what became of it, and what it says if its block is kept.
 */
import type { ChainReader } from 'svc-storage';
import { inspectTransaction as inspectWire } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { decodeBlockBody } from 'svc-wasm/protocol';
import { isIdentifier } from './identifier.ts';
import type { ChainPlace } from './open-store.ts';

export async function inspectTransaction(
  reader: ChainReader,
  id: string,
  place: ChainPlace,
): Promise<object | undefined> {
  if (!isIdentifier(id)) return undefined;
  const [status] = await reader.statuses([id]);
  if (status === undefined) return undefined;
  const { outcome, height, index } = status;
  return {
    transaction_id: id,
    outcome: outcome.kind,
    reason: outcome.reason === '' ? null : outcome.reason,
    fee: outcome.fee,
    block_id: outcome.blockId,
    executed_cut: height,
    index,
    contents: await contentsOf(reader, id, outcome.blockId, place),
  };
}

async function contentsOf(
  reader: ChainReader,
  id: string,
  blockId: string,
  { manifest }: ChainPlace,
): Promise<unknown> {
  const body = await reader.blockBody(blockId);
  if (body === undefined) return null;
  const { transactions } = decodeBlockBody(body, manifest);
  const found = transactions.find((transaction) => toHex(transaction.id) === id);
  if (found === undefined) return null;
  return JSON.parse(inspectWire(found.wire, manifest.json)) as unknown;
}
