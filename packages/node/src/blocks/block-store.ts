/**
 * The pool's blocks on the disk, by id. A record names its form, when the block came, header and body; whether
 * it is the block of that id shows when it is read again.
 */
import { renameSync, rmSync } from 'node:fs';
import type { Log } from 'svc-base/pure';
import { bytesOf } from 'svc-ledger';
import {
  type BlockBytes,
  type KeyValueStore,
  openPoolDatabase,
  StoreDamagedError,
} from 'svc-storage';
import { toHex, Writer } from 'svc-wasm/base';
import { BLOCK_HEADER_BYTES } from 'svc-wasm/protocol';
import { GroupCommit } from '../mempool/group-commit.ts';

export interface StoredBlock extends BlockBytes {
  readonly receivedAtMillis: number;
}

const FORM = 1;
const HEADER_AT = 9;
const BODY_AT = HEADER_AT + BLOCK_HEADER_BYTES;
/** A key above every id. */
const END = new Uint8Array(49).fill(0xff);

/**
 * Opens a database of waiting blocks. One that is damaged is set aside and told: peers have the blocks too, so it need
 * not keep a node from starting.
 */
export async function openBlockDatabase(directory: string, log: Log): Promise<KeyValueStore> {
  const onTorn = (facts: { readonly file: string; readonly bytes: number }) =>
    log.warn({ ...facts }, 'the end of a file was not whole');
  try {
    return await openPoolDatabase(directory, onTorn);
  } catch (error) {
    if (!(error instanceof StoreDamagedError)) throw error;
    const aside = `${directory}.damaged`;
    log.error({ error: error.message, moved_to: aside }, 'waiting blocks are lost');
    rmSync(aside, { recursive: true, force: true });
    renameSync(directory, aside);
    return openPoolDatabase(directory, onTorn);
  }
}

export class BlockStore {
  readonly #store: KeyValueStore;
  readonly #commit: GroupCommit;

  constructor(store: KeyValueStore, onFatal: (error: Error) => void) {
    this.#store = store;
    this.#commit = new GroupCommit(store, onFatal);
  }

  /** Resolves when the block is on the disk. */
  put({ id, header, body, receivedAtMillis }: StoredBlock): Promise<void> {
    const record = new Writer(BODY_AT + body.length)
      .u8(FORM)
      .u64(BigInt(receivedAtMillis))
      .raw(header)
      .raw(body)
      .finish();
    const key = bytesOf(id);
    return this.#commit.write([{ type: 'put', key, value: record }], { sync: true });
  }

  /** Deletes without a sync: a record that survives a crash is deleted at the next start. */
  delete(id: string): void {
    this.#commit.write([{ type: 'del', key: bytesOf(id) }], { sync: false }).catch(() => {});
  }

  /** Every stored id with its block, or with null for a record that cannot be decoded. */
  async *load(): AsyncGenerator<readonly [id: string, block: StoredBlock | null]> {
    for await (const entries of this.#store.scan({ from: new Uint8Array(0), to: END }))
      for (const [key, record] of entries) yield [toHex(key), readRecord(toHex(key), record)];
  }

  async close(): Promise<void> {
    await this.#commit.settled();
    await this.#store.close();
  }
}

function readRecord(id: string, record: Uint8Array): StoredBlock | null {
  if (record[0] !== FORM || record.length < BODY_AT) return null;
  const view = new DataView(record.buffer, record.byteOffset);
  return {
    id,
    header: record.slice(HEADER_AT, BODY_AT),
    body: record.slice(BODY_AT),
    receivedAtMillis: Number(view.getBigUint64(1, true)),
  };
}
