import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { applyCut, type LeafChange, LedgerAssertionError, outpointKey } from 'svc-ledger';
import { init } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { checkCompletenessProof } from 'svc-wasm/testing';
import { MemoryStore } from '../src/key-value/memory-store.ts';
import { type CommitOptions, DEFERRED_LEAVES_MAX, type LedgerStore } from '../src/ledger-store.ts';
import { openStoreOn } from '../src/open/open-store-on.ts';
import { proveAddress } from '../src/proofs/output-proofs.ts';
import {
  applyLadder,
  commitOf,
  ladderAddress,
  ladderInput,
  ladderPorts,
  stepLadder,
} from './testing/ladder-chain.ts';
import {
  climb,
  ladderOptions,
  ladderRoots,
  memoryLadder,
  openLadder,
} from './testing/ladder-store.ts';

await init();

const HEIGHT = 130;
const roots = await ladderRoots(HEIGHT);
const EVERYTHING = { from: Uint8Array.of(0), to: Uint8Array.of(255), limit: 100_000 };
const ADDRESSES = ['bank', 'miner', 'alice', 'bob', 'alice rewards', 'payee 0', 'payee 3'].map(
  ladderAddress,
);

/** Applies the next cut with the state root that others vouch for, and commits it. */
async function stepDeferred(
  store: LedgerStore,
  stateRoot = roots[(store.head?.height ?? 0) + 1] as string,
  options: CommitOptions = { mayWait: true },
): Promise<void> {
  const { head, chainId } = store;
  const input = ladderInput((head?.height ?? 0) + 1);
  const result = applyCut(ladderPorts(store), store.view, input, store.vouched(stateRoot));
  await store.commit(commitOf(input, result, { chainId, parentCutId: head?.cutId ?? '' }), options);
}

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

test('whoever reads between cuts that are deferred sees the last of them', async () => {
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

test('cuts that lead to another state than was vouched for are found before anything of them is durable', async () => {
  for (const wrongAt of [41, 44]) {
    const memory = new MemoryStore();
    const store = await memoryLadder(40, memory);
    const before = await recordsIn(memory);
    while ((store.head?.height ?? 0) < 44) {
      const height = (store.head?.height ?? 0) + 1;
      await stepDeferred(store, height < wrongAt ? roots[height] : roots[height - 1]);
    }
    const wrong = (error: unknown): boolean =>
      error instanceof LedgerAssertionError &&
      /^cut 44 leads to state .*, not /.test(error.message);
    await assert.rejects(store.flush(), wrong);
    await assert.rejects(proveAddress(store, ladderAddress('bank')), wrong);
    assert.throws(() => store.freeze(1_000), wrong);
    await assert.rejects(store.close(), wrong);
    const unlike = (await recordsIn(memory)).filter((record) => !before.includes(record));
    assert.equal(unlike.length, 2 * 4, 'headers and bodies of blocks alone are written beside');
    const again = await openStoreOn(memory, ladderOptions());
    assert.equal(again.head?.height, 40);
  }
});

test('a cut that is deferred has to wait', async () => {
  const store = await memoryLadder(5);
  await assert.rejects(stepDeferred(store, roots[6], { mayWait: false }), /cannot be durable/);
});

test('a store whose last cuts lead to another state lets go of its files, and is as before when it is opened again', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openLadder(directory);
  await climb(store, 20);
  const files = readdirSync(directory);
  await stepDeferred(store);
  await stepDeferred(store, roots[21]);
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
