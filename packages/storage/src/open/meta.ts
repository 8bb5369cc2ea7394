/**
 * Reads the metadata of the store, and refuses a store of another format, chain or mode.
 */
import { expectChecksum } from '../codec/checksum.ts';
import { type Codec, packed, unpacked } from '../codec/codec.ts';
import {
  type Compacted,
  chainCodec,
  compactedCodec,
  type Filled,
  filledCodec,
  formatCodec,
  type Head,
  headCodec,
  type MetaName,
  type Retention,
  retentionCodec,
  STORAGE_MODES,
  type StorageMode,
} from '../codec/meta-records.ts';
import { BatchBuilder } from '../commit/batch-builder.ts';
import { metaKey } from '../commit/keys.ts';
import { StoreDamagedError, StoreFormatError } from '../errors.ts';
import type { KeyValueReader, KeyValueStore } from '../key-value/key-value-store.ts';
import { FORMAT_VERSION } from '../layout.ts';

/** Turns a store of one format into one of the next, in place; called until the format is ours. */
export type Migration = (store: KeyValueStore) => Promise<void>;
export type Migrations = ReadonlyMap<number, Migration>;

export interface Meta {
  readonly head: Head | null;
  readonly retention: Retention;
  readonly compacted: Compacted;
  /** Undefined where nothing was filled in. */
  readonly filled: Filled | undefined;
}

export function readMeta<T>(
  reader: KeyValueReader,
  name: MetaName,
  codec: Codec<T>,
): T | undefined {
  const key = metaKey(name);
  const record = reader.getSync(key);
  if (record === undefined) return undefined;
  return unpacked(codec, expectChecksum(key, record, `meta ${name}`), `meta ${name}`);
}

export function putMeta<T>(batch: BatchBuilder, name: MetaName, codec: Codec<T>, value: T): void {
  batch.putChecked(metaKey(name), packed(batch.packer, codec, value));
}

export async function openMeta(
  store: KeyValueStore,
  chainId: string,
  mode: StorageMode,
  migrations: Migrations,
): Promise<Meta> {
  const format = readMeta(store, 'format', formatCodec);
  if (format === undefined) {
    await expectEmpty(store);
    return createMeta(store, chainId, mode);
  }
  await migrate(store, format, migrations);
  const found = readMeta(store, 'chain', chainCodec);
  if (found !== chainId) {
    throw new StoreFormatError(
      `expected a store of chain ${chainId}, found one of chain ${found}; use another directory, ` +
        'or bring back the file genesis.json of this one',
    );
  }
  const retention = readMeta(store, 'retention', retentionCodec) ?? firstRetention(mode);
  return {
    head: readMeta(store, 'head', headCodec) ?? null,
    retention: inMode(retention, mode),
    compacted: readMeta(store, 'compacted', compactedCodec) ?? uncompacted(retention),
    filled: readMeta(store, 'filled', filledCodec),
  };
}

async function createMeta(store: KeyValueStore, chainId: string, mode: StorageMode): Promise<Meta> {
  const batch = new BatchBuilder();
  const retention = firstRetention(mode);
  putMeta(batch, 'format', formatCodec, FORMAT_VERSION);
  putMeta(batch, 'chain', chainCodec, chainId);
  putMeta(batch, 'retention', retentionCodec, retention);
  await store.write(batch.operations, { sync: true });
  return { head: null, retention, compacted: uncompacted(retention), filled: undefined };
}

/** Refuses a store with records but no format: an import or reindex of it was broken off. */
export async function expectEmpty(store: KeyValueReader): Promise<void> {
  const [entry] = await store.range({ from: new Uint8Array(0), to: Uint8Array.of(0xff), limit: 1 });
  if (entry === undefined) return;
  throw new StoreDamagedError(
    'the store holds records but no format: an import was not finished; delete it and start anew',
  );
}

function firstRetention(mode: StorageMode): Retention {
  return { mode, firstHeight: 1, indexedFrom: 1, blocksFrom: 1 };
}

function uncompacted({ firstHeight }: Retention): Compacted {
  return { indexedFrom: firstHeight, blocksFrom: firstHeight };
}

async function migrate(store: KeyValueStore, found: number, migrations: Migrations): Promise<void> {
  for (let format = found; format < FORMAT_VERSION; format++) {
    const migration = migrations.get(format);
    if (migration === undefined) {
      throw new StoreFormatError(
        `the store has format ${found} and this release ${FORMAT_VERSION}, without a way from ${format}; sync anew`,
      );
    }
    await migration(store);
    const batch = new BatchBuilder();
    putMeta(batch, 'format', formatCodec, format + 1);
    await store.write(batch.operations, { sync: true });
  }
  if (found > FORMAT_VERSION) {
    throw new StoreFormatError(
      `the store has format ${found}, this release knows ${FORMAT_VERSION}; use a newer release`,
    );
  }
}

/** Refuses a mode that keeps more than the store kept so far: deleted records cannot come back. */
function inMode(retention: Retention, mode: StorageMode): Retention {
  const order = (name: StorageMode) => STORAGE_MODES.indexOf(name);
  const { firstHeight, indexedFrom, blocksFrom } = retention;
  const complete = firstHeight === 1 && indexedFrom === 1 && blocksFrom === 1;
  if (order(mode) >= order(retention.mode) || complete) return { ...retention, mode };
  throw new StoreFormatError(
    `the store was kept in mode ${retention.mode} and lacks what mode ${mode} needs; sync anew`,
  );
}
