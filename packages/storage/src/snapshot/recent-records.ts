/**
 * What a node needs beside the state to continue from a cut: the headers that blocks of the next cuts may be
 * anchored at, and the blocks that the next cut executes. They are copied as they are stored; the importer
 * compares them with the cut.
 */
import { REGISTRATION_WINDOW_CUTS } from 'svc-ledger';
import { toHex } from 'svc-wasm/base';
import { decodeCutBody } from 'svc-wasm/protocol';
import { ID_BYTES } from '../codec/sizes.ts';
import { Unpacker } from '../codec/unpacker.ts';
import { heightKey, hexKey } from '../commit/keys.ts';
import { StoreDamagedError, StoreUnavailableError } from '../errors.ts';
import type { Entry, KeyValueReader } from '../key-value/key-value-store.ts';
import { LAYOUT, type StoreTable } from '../layout.ts';
import { readChecked } from '../reader/cut-reader.ts';

const COPIED: readonly StoreTable[] = ['headers', 'cutBodies', 'blockHeaders', 'blockBodies'];

/** The table of a record that is copied; undefined for any other. */
export function recentTable(prefix: number | undefined): StoreTable | undefined {
  return COPIED.find((name) => LAYOUT[name].prefix === prefix);
}

export function recentRecords(reader: KeyValueReader, head: number): Entry[] {
  const first = Math.max(1, head - REGISTRATION_WINDOW_CUTS);
  const heights = Array.from({ length: head - first }, (_, index) => first + index);
  const bodyKey = heightKey('cutBodies', head);
  const body = readChecked(reader, 'cutBodies', bodyKey);
  if (body === undefined) throw new StoreUnavailableError(`the body of cut ${head} is not here`);
  const ids = decodeCutBody(body).blockIds.map((id) => toHex(id));
  const keys = [
    ...heights.map((height) => heightKey('headers', height)),
    bodyKey,
    ...ids.map((id) => hexKey('blockHeaders', id)),
    ...ids.map((id) => hexKey('blockBodies', id)),
  ];
  return keys.flatMap((key) => {
    const value = reader.getSync(key);
    return value === undefined ? [] : [[key, value] as const];
  });
}

/** Lets through what may be copied with the state of a cut, in the order in which it was written. */
export class RecentRecords {
  readonly #head: number;
  readonly #blockIds = new Set<string>();

  constructor(head: number) {
    this.#head = head;
  }

  /** The cut whose header a record is; throws for a record that does not belong to the head. */
  expected(
    table: StoreTable,
    key: Uint8Array,
    contents: Uint8Array,
  ): { readonly height: number; readonly cutId: string } | undefined {
    if (table === 'blockHeaders' || table === 'blockBodies') {
      if (!this.#blockIds.has(toHex(key.subarray(1)))) throw foreign(table);
      return undefined;
    }
    const height = new Unpacker(key.subarray(1), table).numberOrdered();
    const distance = this.#head - height;
    if (table === 'headers') {
      if (distance < 1 || distance > REGISTRATION_WINDOW_CUTS) throw foreign(table);
      return { height, cutId: new Unpacker(contents, table).hex(ID_BYTES) };
    }
    if (distance !== 0) throw foreign(table);
    for (const id of decodeCutBody(contents).blockIds) this.#blockIds.add(toHex(id));
    return undefined;
  }
}

function foreign(table: StoreTable): StoreDamagedError {
  return new StoreDamagedError(`the snapshot has ${table} that are not of its cut; get it anew`);
}
