/**
 * Reads what a node lists of the past of addresses; none of it counts before it is proven. Outputs of the genesis lie below
 * every cut, and a node that keeps no old history knows only what is unspent now; both are read from the lists of unspent
 * outputs.
 */
import type { Utxo } from 'svc-api';
import type { Client } from 'svc-client';
import { isNotKept, nodeBehind, reading } from '../node/node-fault.ts';
import type { Addresses, AddressReference } from '../state/addresses.ts';
import type { Change } from './change.ts';

export const ADDRESSES_PER_REQUEST = 64;
const ROWS_PER_PAGE = 4_096;
const CHANGES_HELD_MAX = 16_384;

export interface ChangesRead {
  readonly changes: readonly Change[];
  /** The changes are those up to this height. */
  readonly upTo: number;
}

export interface ReadOptions {
  readonly client: Pick<Client, 'addressChanges'>;
  readonly addresses: Pick<Addresses, 'references'>;
  /** More changes than this are handed on in parts. */
  readonly heldMax?: number;
}

/** Reads what all addresses were changed by above `after`, up to at most `target`; at least one height is read. */
export async function readSince(
  { addresses, client, heldMax = CHANGES_HELD_MAX }: ReadOptions,
  after: number,
  target: number,
): Promise<ChangesRead> {
  let upTo = target;
  let held: Change[] = [];
  for (let afterId = 0; ; ) {
    const batch = addresses.references(afterId, ADDRESSES_PER_REQUEST);
    const last = batch.at(-1);
    if (last === undefined) return { changes: held, upTo };
    afterId = last.id;
    for await (const page of pagesOf(client, batch, after)) {
      upTo = Math.min(upTo, page.upTo);
      const isNew = ({ finalized_height: height }: Change): boolean =>
        height > after && height <= upTo;
      held.push(...page.changes.filter(isNew));
      const top = page.changes.at(-1)?.finalized_height ?? 0;
      if (top > upTo) break;
      if (held.length > heldMax && top - 1 > after) {
        upTo = top - 1;
        held = held.filter(({ finalized_height }) => finalized_height <= upTo);
        break;
      }
    }
  }
}

/** Yields changes above a height and up to another, ascending for each address, in parts of bounded size. */
export async function* readPast(
  client: Client,
  batch: readonly AddressReference[],
  upTo: number,
  after = 0,
): AsyncGenerator<Change[], void> {
  const keepsHistory = yield* readHistory(client, batch, upTo, after);
  if (keepsHistory && after > 0) return;
  yield* readUnspent(client, batch, keepsHistory ? 0 : upTo);
}

async function* readHistory(
  client: Client,
  batch: readonly AddressReference[],
  upTo: number,
  after: number,
): AsyncGenerator<Change[], boolean> {
  try {
    for await (const { changes, upTo: reached } of pagesOf(client, batch, after)) {
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

/** Pages of the changes of a batch above a height, ascending. */
async function* pagesOf(
  client: Pick<Client, 'addressChanges'>,
  batch: readonly AddressReference[],
  after: number,
): AsyncGenerator<ChangesRead, void> {
  const addresses = batch.map(({ address }) => address);
  let cursor: string | undefined;
  do {
    const page = await reading(
      client.addressChanges({
        addresses,
        after_height: after,
        limit: ROWS_PER_PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      }),
    );
    yield { changes: page.changes, upTo: page.indexed_height };
    cursor = page.next_cursor;
  } while (cursor !== undefined);
}
