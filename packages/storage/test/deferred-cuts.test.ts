import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { type LeafChange, LedgerAssertionError, outpointKey, TREES } from 'svc-ledger';
import { init } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { checkCompletenessProof } from 'svc-wasm/testing';
import { FatalStorageError } from '../src/errors.ts';
import { MemoryStore } from '../src/key-value/memory-store.ts';
import { LAYOUT } from '../src/layout.ts';
import { DEFERRED_LEAVES_MAX, type LedgerStore } from '../src/ledger-store.ts';
import { openStoreOn } from '../src/open/open-store-on.ts';
import { proveAddress, proveOutput, proveTotals } from '../src/proofs/output-proofs.ts';
import { exportSnapshot } from '../src/snapshot/export-snapshot.ts';
import {
  applyLadder,
  commitOf,
  ladderAddress,
  ladderInput,
  stepLadder,
} from './testing/ladder-chain.ts';
import {
  climb,
  ladderOptions,
  ladderRoots,
  memoryLadder,
  openLadder,
  stepDeferred,
} from './testing/ladder-store.ts';

await init();

const HEIGHT = 130;
const roots = await ladderRoots(HEIGHT);
const EVERYTHING = { from: Uint8Array.of(0), to: Uint8Array.of(255), limit: 100_000 };
const ADDRESSES = ['bank', 'miner', 'alice', 'bob', 'alice rewards', 'payee 0', 'payee 3'].map(
  ladderAddress,
);

async function recordsIn(memory: MemoryStore): Promise<string[]> {
  const entries = await memory.range(EVERYTHING);
  return entries.map((entry) => entry.map((bytes) => Buffer.from(bytes).toString('hex')).join());
}

async function balancesIn(store: LedgerStore) {
  const reader = store.reader();
  const balances = await reader.balances(ADDRESSES);
  assert.deepEqual(
    ADDRESSES.map((address) => reader.balance(address)),
    balances,
  );
  return balances;
}

async function assertProven(store: LedgerStore): Promise<void> {
  const root = fromHex(store.head?.stateRoot ?? '');
  for (const address of ADDRESSES) {
    const proof = (await proveAddress(store, address)) as Uint8Array;
    const { outputs } = checkCompletenessProof(proof, root, fromHex(address));
    assert.equal(outputs.length, store.reader().balance(address).outputs);
  }
}

test('cuts that are deferred in groups leave the records that cuts one by one leave', async () => {
  for (const size of [1, 5, 13, 40]) {
    const [grouped, single] = [new MemoryStore(), new MemoryStore()];
    const store = await memoryLadder(0, grouped);
    const other = await memoryLadder(0, single);
    while ((store.head?.height ?? 0) < HEIGHT) {
      for (let count = 0; count < size && (store.head?.height ?? 0) < HEIGHT; count++) {
        if (count % 3 === 1) applyLadder(store, (store.head?.height ?? 0) + 1); // Not decided.
        if (count % 2 === 1)
          await store.prepare(ladderInput((store.head?.height ?? 0) + 1), {
            least: 0,
            isDeferred: count % 4 === 1,
          });
        await stepDeferred(store);
        await stepLadder(other);
        assert.deepEqual(store.head, other.head);
      }
      if ((store.head?.height ?? 0) % 2 === 0) await store.flush();
      else if ((store.head?.height ?? 0) < HEIGHT) {
        // The last of a group that is decided here.
        await stepLadder(store);
        await stepLadder(other);
      }
    }
    await store.flush();
    assert.deepEqual(await recordsIn(grouped), await recordsIn(single), `groups of ${size}`);
    await assertProven(store);
  }
});

test('a group that ends while a cut is applied and not decided is written without it', async () => {
  const [grouped, single] = [new MemoryStore(), new MemoryStore()];
  const store = await memoryLadder(20, grouped);
  const other = await memoryLadder(20, single);
  for (let count = 0; count < 4; count++) {
    await stepDeferred(store);
    await stepLadder(other);
  }
  const applied = applyLadder(store, 25);
  await store.flush();
  assert.deepEqual(await recordsIn(grouped), await recordsIn(single));
  const { head, chainId } = store;
  const cut = commitOf(ladderInput(25), applied, { chainId, parentCutId: head?.cutId ?? '' });
  await store.commit(cut);
  await stepLadder(other);
  assert.deepEqual(
    await recordsIn(grouped),
    await recordsIn(single),
    'when it is decided after all',
  );
});

test('a read between deferred cuts sees the last of them', async () => {
  const memory = new MemoryStore();
  const store = await memoryLadder(20, memory);
  const other = await memoryLadder(20);
  while ((store.head?.height ?? 0) < 60) {
    await stepDeferred(store);
    await stepLadder(other);
    const height = store.head?.height ?? 0;
    if (height % 2 === 0) assert.deepEqual(await balancesIn(store), await balancesIn(other));
    if (height % 5 === 0) await assertProven(store);
    if (height % 11 === 0) await store.flush();
    if (height % 11 === 0) assert.deepEqual(await balancesIn(store), await balancesIn(other));
  }
  await store.close();
  const again = await openStoreOn(memory, ladderOptions());
  assert.equal(again.head?.stateRoot, roots[60]);
  await assertProven(again);
});

test('a balance that is read while a group is written is the one of its cut', async () => {
  const memory = new MemoryStore();
  const store = await memoryLadder(20, memory);
  for (let count = 0; count < 8; count++) await stepDeferred(store);
  const expected = await balancesIn(store);
  let isWriting = true;
  const flushing = store.flush().finally(() => {
    isWriting = false;
  });
  let reads = 0;
  for (; isWriting; reads++) assert.deepEqual(await balancesIn(store), expected);
  await flushing;
  assert.ok(reads > 1);
  assert.deepEqual(await balancesIn(store), expected);
});

test('a balance that is read while a cut is committed is the one of its head', async () => {
  const store = await memoryLadder(20);
  const other = await memoryLadder(20);
  const balances = [await balancesIn(other)];
  while (balances.length <= 24) {
    await stepLadder(other);
    balances.push(await balancesIn(other));
  }
  const seen = new Set<string>();
  for (let height = 21; height <= 44; height++) {
    let isCommitting = true;
    const step = height % 6 === 0 ? stepLadder : stepDeferred;
    const committing = step(store).finally(() => {
      isCommitting = false;
    });
    for (; isCommitting; await Promise.resolve()) {
      const reader = store.reader();
      const read = ADDRESSES.map((address) => reader.balance(address));
      assert.deepEqual(read, balances[reader.head.height - 20]);
      seen.add(`${reader.head.height - height} ${store.head?.height === reader.head.height}`);
    }
    await committing;
  }
  assert.ok(seen.has('0 false'), 'also when the store has not noticed yet');
});

test('no further cut is deferred when the leaves of two full cuts wait', async () => {
  const store = await memoryLadder(5);
  const output = {
    address: ADDRESSES[0] as string,
    amount: 1n,
    source: 'regular',
    height: 6,
  } as const;
  const changes = Array.from({ length: DEFERRED_LEAVES_MAX }, (_, place): LeafChange => {
    const transactionId = place.toString(16).padStart(96, '0');
    return {
      tree: 'outputs',
      outpoint: outpointKey({ transactionId, outputIndex: 0 }),
      output,
      present: true,
    };
  });
  store.trees.accept(store.trees.defer(changes.slice(1), () => {}));
  assert.equal(store.hasRoom, true);
  store.trees.accept(store.trees.defer(changes.slice(0, 1), () => {}));
  assert.equal(store.hasRoom, false);
});

/** A store whose last cut is 44, deferred with the others since 40, and leads to another state than is vouched for at a height. */
async function wrongLadder(memory: MemoryStore, wrongAt: number): Promise<LedgerStore> {
  const store = await memoryLadder(40, memory);
  for (let height = 41; height <= 44; height++)
    await stepDeferred(store, { stateRoot: roots[height < wrongAt ? height : height - 1] });
  return store;
}

const ASKING: Readonly<Record<string, (store: LedgerStore) => Promise<unknown>>> = {
  'the end of the group': (store) => store.flush(),
  'the end of the store': (store) => store.close(),
  'a proof': (store) => proveAddress(store, ladderAddress('bank')),
  'a frozen state': async (store) => store.freeze(1_000),
};

for (const [asking, ask] of Object.entries(ASKING))
  test(`cuts that lead to another state than was vouched for are found by ${asking}, and the store answers nothing from then on`, async () => {
    for (const wrongAt of [41, 44]) {
      const memory = new MemoryStore();
      const before = await recordsIn(await memoryAt40());
      const store = await wrongLadder(memory, wrongAt);
      await assert.rejects(ask(store), (error: unknown): boolean => {
        assert.ok(error instanceof LedgerAssertionError, String(error));
        return /^cut 44 leads to state .*, not /.test(error.message);
      });
      assert.throws(() => store.reader().balance(ladderAddress('bank')), FatalStorageError);
      await assert.rejects(stepDeferred(store), FatalStorageError);
      await store.close();
      const unlike = (await recordsIn(memory)).filter((record) => !before.includes(record));
      assert.equal(unlike.length, 2, 'large bodies alone are written beside');
      const again = await openStoreOn(memory, ladderOptions());
      assert.equal(again.head?.height, 40);
    }
  });

async function memoryAt40(): Promise<MemoryStore> {
  const memory = new MemoryStore();
  await memoryLadder(40, memory);
  return memory;
}

test('a request for trees in the middle of a group reads their buckets in parallel', async (t) => {
  const memory = new MemoryStore();
  await (await memoryLadder(60, memory)).close();
  const store = await openStoreOn(memory, ladderOptions());
  for (let count = 0; count < 12; count++) await stepDeferred(store);
  /** Buckets of outputs that were read together, and alone. */
  const reads = { together: 0, alone: 0 };
  const isBucket = ([table, tree]: Uint8Array): boolean =>
    table === LAYOUT.buckets.prefix && tree === TREES.outputs;
  const { getSync, getMany } = memory;
  memory.getSync = (key) => {
    if (isBucket(key)) reads.alone++;
    return getSync.call(memory, key);
  };
  memory.getMany = (keys) => {
    const buckets = keys.filter(isBucket).length;
    reads.together += buckets;
    reads.alone -= buckets; // This store gets them one by one.
    return getMany.call(memory, keys);
  };
  await store.readTreesAhead();
  assert.ok(reads.together > 10, `${reads.together} are read together`);
  store.trees.committed('outputs');
  assert.equal(reads.alone, 0);
  const ahead = t.mock.method(store, 'readTreesAhead');
  const proofs = [
    () => proveAddress(store, ladderAddress('bank')),
    () => proveOutput(store, { transactionId: '00'.repeat(48), outputIndex: 0 }),
    () => proveTotals(store),
  ];
  for (const prove of proofs) await prove();
  assert.equal(ahead.mock.callCount(), proofs.length);
});

test('a snapshot that cannot be exported freezes nothing', async (t) => {
  const store = await memoryLadder(20);
  const { chainId } = store;
  const applied = applyLadder(store, 21);
  const cut = commitOf(ladderInput(21), applied, { chainId, parentCutId: store.head?.cutId ?? '' });
  await store.commit({ ...cut, certificate: null });
  const freeze = t.mock.method(store, 'freeze');
  assert.throws(() => exportSnapshot(store), /only a certified cut can be exported/);
  assert.equal(freeze.mock.callCount(), 0);
});

test('a cut that is deferred has to wait', async () => {
  const store = await memoryLadder(5);
  await assert.rejects(stepDeferred(store, { mayWait: false }), /cannot be durable/);
});

test('a store whose last cuts lead to another state lets go of its files, and is as before when it is opened again', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openLadder(directory);
  await climb(store, 20);
  const files = readdirSync(directory);
  await stepDeferred(store);
  await stepDeferred(store, { stateRoot: roots[21] });
  await assert.rejects(store.close(), LedgerAssertionError);
  assert.deepEqual(
    readdirSync(directory).filter((name) => !files.includes(name)),
    [],
    'no trees are saved',
  );
  const again = await openLadder(directory);
  assert.equal(again.head?.height, 20);
  await stepLadder(again);
  assert.equal(again.head?.stateRoot, roots[21]);
  await again.close();
});
