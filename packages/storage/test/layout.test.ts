import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TABLES, type Table, type Tables } from 'svc-ledger';
import { init } from 'svc-wasm';
import { expectChecksum, withChecksum } from '../src/codec/checksum.ts';
import { type Codec, packed, unpacked } from '../src/codec/codec.ts';
import { summaryCodec } from '../src/codec/event-records.ts';
import {
  addressEntryCodec,
  balanceCodec,
  changesCodec,
  keyHeightCodec,
  outcomesCodec,
  statusCodec,
  unspentCodec,
  workCodec,
} from '../src/codec/index-records.ts';
import {
  chainCodec,
  compactedCodec,
  formatCodec,
  headCodec,
  retentionCodec,
} from '../src/codec/meta-records.ts';
import { Packer } from '../src/codec/packer.ts';
import { STATE_CODECS } from '../src/codec/state-records.ts';
import { StoreDamagedError } from '../src/errors.ts';
import { MemoryStore } from '../src/key-value/memory-store.ts';
import { LAYOUT, type StoreTable } from '../src/layout.ts';
import { expectSoundBucket } from '../src/tree/bucket.ts';
import { memoryLadder } from './testing/ladder-store.ts';

const META: Readonly<Record<string, Codec<unknown>>> = {
  format: formatCodec,
  chain: chainCodec,
  head: headCodec,
  retention: retentionCodec,
  compacted: compactedCodec,
};

const INDEXES: Partial<Record<StoreTable, Codec<unknown>>> = {
  ...(STATE_CODECS as unknown as Record<StoreTable, Codec<unknown>>),
  unspent: unspentCodec,
  balances: balanceCodec,
  history: addressEntryCodec,
  changes: changesCodec,
  cutTransactions: outcomesCodec,
  statuses: statusCodec,
  work: workCodec,
  events: summaryCodec,
  keyHeights: keyHeightCodec,
};

/** Tables whose values are bytes from elsewhere, or nothing. */
const OPAQUE: readonly StoreTable[] = [
  'buckets',
  'headers',
  'cutIds',
  'cutBodies',
  'certificates',
  'blockHeaders',
  'blockBodies',
  'ownedPositions',
];

const SIZES: Readonly<Record<string, number>> = {
  outpoint: 52,
  'position id': 48,
  'validator id': 48,
  'key hash': 48,
  'body root': 48,
  'block id': 48,
  'cut id': 48,
  'transaction id': 48,
  'tree key': 64,
  address: 49,
  'owner address': 49,
  height: 7,
  'anchor height': 7,
  epoch: 7,
  index: 4,
  'first index': 4,
};

await init();
const disk = new MemoryStore();
await memoryLadder(110, disk);
const entries = await disk.range({ from: Uint8Array.of(0), to: Uint8Array.of(255), limit: 1e9 });

function tableOf(key: Uint8Array): StoreTable {
  const found = Object.entries(LAYOUT).filter(([, { prefix }]) => prefix === key[0]);
  assert.equal(found.length, 1, `prefix ${key[0]}`);
  return found[0]?.[0] as StoreTable;
}

test('every record is in a table of the layout, and every table but rare ones has records', () => {
  const found = new Set(entries.map(([key]) => tableOf(key)));
  const missing = Object.keys(LAYOUT).filter((name) => !found.has(name as StoreTable));
  // A store in memory has no files.
  assert.deepEqual(missing, ['pools', 'releases', 'bodyFiles']);
  for (const name of TABLES) assert.ok(name in LAYOUT);
});

test('keys have the parts that the layout names', () => {
  for (const [key] of entries) {
    const table = tableOf(key);
    const parts: readonly string[] = LAYOUT[table].key;
    const length = parts.reduce((sum, part) => sum + (SIZES[part] ?? Number.NaN), 1);
    if (!Number.isNaN(length)) assert.equal(key.length, length, table);
    else assert.ok(table === 'meta' || table === 'buckets', table);
  }
});

test('every record round-trips through its codec', () => {
  const packer = new Packer();
  for (const [key, record] of entries) {
    const table = tableOf(key);
    const value = LAYOUT[table].checked ? expectChecksum(key, record, table) : record;
    if (LAYOUT[table].checked) assert.deepEqual(withChecksum(key, value), new Uint8Array(record));
    const name = Buffer.from(key.subarray(1)).toString();
    const codec = table === 'meta' ? META[name] : INDEXES[table];
    if (codec === undefined) {
      assert.ok(OPAQUE.includes(table), table);
      if (table === 'buckets') expectSoundBucket(value);
      continue;
    }
    const again = packed(packer, codec, unpacked(codec, value, table));
    assert.deepEqual(Buffer.from(again), Buffer.from(value), table);
  }
});

test('records with everything that is rare round-trip too', () => {
  const packer = new Packer();
  const id = (byte: number) => byte.toString(16).padStart(2, '0').repeat(48);
  const key = { publicKey: new Uint8Array(1_952).fill(9), keyHash: id(1) };
  const validator: Tables['validators'] = {
    status: 'removed',
    ownerAddress: `00${id(2)}`,
    selfBondId: id(3),
    consensusKey: key,
    pendingKey: { value: { ...key, keyHash: id(4) }, epoch: 7 },
    endpoint: Uint8Array.of(1, 2, 3),
    pendingEndpoint: { value: new Uint8Array(0), epoch: 2 ** 40 },
    commissionBps: 1_000,
    pendingCommission: { value: 10, epoch: 3 },
    stake: 2n ** 63n,
    positionCount: 70_000,
    registeredEpoch: 1,
    eligibleFromEpoch: 3,
    heartbeatEpoch: null,
    jailedUntilEpoch: 9,
    endHeight: 123,
    removedHeight: 124,
    removalBurned: 2n ** 50n + 1n,
    slashableBonded: 2n ** 40n,
    slashableUnbonding: 7n,
  };
  const position: Tables['positions'] = {
    kind: 'delegation',
    validatorId: id(5),
    ownerAddress: `01${id(6)}`,
    rewardAddress: `02${id(7)}`,
    bonded: 0n,
    unbonding: [{ amount: 5n, releaseHeight: 2 ** 33 }],
    stood: [{ epoch: 4, bonded: 17n }],
  };
  const member = { validatorId: id(8), selfBondId: id(9), stake: 3n, commissionBps: 20 };
  const pool: Tables['pools'] = {
    amount: 100n,
    members: [{ ...member, earned: true }],
    paid: 40n,
    memberIndex: 1,
    afterPositionId: id(10),
    commission: 2n,
  };
  const releases: Tables['releases'] = { slashable: [{ validatorId: id(8), amount: 2n ** 50n }] };
  const samples = { validators: validator, positions: position, pools: pool, releases } as const;
  for (const [table, record] of Object.entries(samples)) {
    const codec = STATE_CODECS[table as Table] as unknown as Codec<unknown>;
    assert.deepEqual(unpacked(codec, packed(packer, codec, record), table), record);
  }
  const unvisited = { ...pool, afterPositionId: null };
  const stored = packed(packer, STATE_CODECS.pools, unvisited);
  assert.deepEqual(unpacked(STATE_CODECS.pools, stored, 'pools'), unvisited);
});

test('records that are cut short or too long are damaged', () => {
  for (const [key, record] of entries.filter((_, index) => index % 7 === 0)) {
    const table = tableOf(key);
    const codec = INDEXES[table];
    if (codec === undefined || record.length === 0) continue;
    assert.throws(
      () => unpacked(codec, record.subarray(0, record.length - 1), table),
      StoreDamagedError,
      table,
    );
    const longer = Buffer.concat([record, Buffer.of(0)]);
    assert.throws(() => unpacked(codec, longer, table), StoreDamagedError, table);
  }
});
