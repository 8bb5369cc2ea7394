/**
 * Reads the whole past of a batch of addresses. Outputs of the genesis lie below every cut, and a node that
 * keeps no old history knows only what is unspent now; both are read from the lists of unspent outputs.
 */
import type { Utxo } from 'svc-api';
import type { Client } from 'svc-client';
import { isNotKept, nodeBehind, reading } from '../node/node-fault.ts';
import type { AddressReference } from '../state/addresses.ts';
import type { Change } from './change.ts';
import { pagesOf } from './read-changes.ts';

/** Yields changes up to a height, ascending for each address, in parts of bounded size. */
export async function* readPast(
  client: Client,
  batch: readonly AddressReference[],
  upTo: number,
): AsyncGenerator<Change[], void> {
  const keepsHistory = yield* readHistory(client, batch, upTo);
  yield* readUnspent(client, batch, keepsHistory ? 0 : upTo);
}

async function* readHistory(
  client: Client,
  batch: readonly AddressReference[],
  upTo: number,
): AsyncGenerator<Change[], boolean> {
  try {
    for await (const { changes, upTo: reached } of pagesOf(client, batch, 0)) {
      expectReached(reached, upTo);
      yield changes.filter(({ finalized_height }) => finalized_height <= upTo);
    }
    return true;
  } catch (error) {
    if (isNotKept(error)) return false;
    throw error;
  }
}

async function* readUnspent(
  client: Client,
  batch: readonly AddressReference[],
  upTo: number,
): AsyncGenerator<Change[], void> {
  const addresses = batch.map(({ address }) => address);
  const answer = await reading(client.addressUtxosBatch({ addresses }));
  expectReached(answer.indexed_height, upTo);
  for (const { address, utxos, truncated } of answer.addresses) {
    if (!truncated) {
      yield receivedBy(address, utxos, upTo);
      continue;
    }
    const all: Utxo[] = [];
    for await (const utxo of client.pages.addressUtxos({ address, limit: 512 })) {
      if (utxo.finalized_height <= upTo) all.push(utxo);
    }
    yield receivedBy(address, all, upTo);
  }
}

/** A node that has not come as far as the wallet does not know all of the past. */
function expectReached(height: number, upTo: number): void {
  if (height < upTo) throw nodeBehind(height, upTo);
}

function receivedBy(address: string, utxos: readonly Utxo[], upTo: number): Change[] {
  return utxos
    .filter(({ finalized_height }) => finalized_height <= upTo)
    .map((utxo) => ({
      address,
      kind: 'received',
      transaction_id: utxo.outpoint.transaction_id,
      ...utxo,
    }));
}
