/**
 * Reads what befell the wallet's addresses between two heights, by whichever way asks less of the node: a few
 * batches of addresses over many cuts, or a few cuts for many addresses.
 */
import type { Client } from 'svc-client';
import type { AddressBook } from '../keys/address-book.ts';
import { reading } from '../node/node-fault.ts';
import type { Addresses, AddressReference } from '../state/addresses.ts';
import type { Change } from './change.ts';

export const ADDRESSES_PER_REQUEST = 64;
const ROWS_PER_PAGE = 4_096;
/** The node looks up each address of a batch; reading a few cuts whole is less work for it. */
const CUTS_PER_BATCH = 4;
const CHANGES_HELD_MAX = 16_384;

export interface ChangesRead {
  readonly changes: readonly Change[];
  /** The changes are complete up to this height. */
  readonly upTo: number;
}

export interface ReadOptions {
  readonly client: Client;
  readonly addresses: Addresses;
  readonly book: AddressBook;
  /** More changes than this are handed on in parts. */
  readonly heldMax?: number;
}

/** Reads from above `after` to at most `target`; at least one height is read. */
export async function readChanges(
  options: ReadOptions,
  after: number,
  target: number,
): Promise<ChangesRead> {
  const batches = Math.ceil(options.book.size / ADDRESSES_PER_REQUEST);
  return target - after > CUTS_PER_BATCH * batches
    ? await readByAddress(options, after, target)
    : await readCut(options, after + 1);
}

async function readByAddress(
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
      // What a node says lies below was told of then, or is concealed from whoever asks for what is new.
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

/** Pages of the changes of a batch above a height, ascending. */
export async function* pagesOf(
  client: Client,
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

async function readCut({ book, client }: ReadOptions, height: number): Promise<ChangesRead> {
  const changes: Change[] = [];
  let cursor: string | undefined;
  do {
    const page = await reading(
      client.cutChanges({
        height,
        limit: ROWS_PER_PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      }),
    );
    for (const change of page.changes) {
      if (book.idOf(change.address) === undefined) continue;
      changes.push({ ...change, finalized_height: height });
    }
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return { changes, upTo: height };
}
