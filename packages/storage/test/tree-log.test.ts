import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryDirectory, until } from 'svc-base/testing';
import { TREES } from 'svc-ledger';
import { init } from 'svc-wasm';
import type { Head } from '../src/codec/meta-records.ts';
import { StoreDamagedError } from '../src/errors.ts';
import { LAYOUT } from '../src/layout.ts';
import type { LedgerStore } from '../src/ledger-store.ts';
import { checkTrees } from '../src/open/check-trees.ts';
import { bucketOf, leavesOf } from '../src/tree/bucket.ts';
import { TreeFiles, type TreeFilesPace } from '../src/tree-files/tree-files.ts';
import { logPath } from '../src/tree-files/tree-log.ts';
import type { StateTrees } from '../src/trees/state-trees.ts';
import { endFailing, failWrites } from './testing/failing-disk.ts';
import { bytesMissing } from './testing/killed-trees.ts';
import { applyLadder, stepLadder } from './testing/ladder-chain.ts';
import {
  climb,
  EAGER_TREE_FILES,
  ladderRoots,
  openLoggedLadder,
  stepDeferred,
} from './testing/ladder-store.ts';

await init();

const NEVER = new AbortController().signal;
/** Logs, and one base at the beginning alone. */
const ONE_BASE: TreeFilesPace = { ...EAGER_TREE_FILES, logBytesMin: 1 << 30 };
const LOG = /^trees\.\d+\.log$/;

function treeFilesIn(directory: string): string[] {
  return readdirSync(directory).filter((name) => name.startsWith('trees'));
}

function logsIn(directory: string): string[] {
  return readdirSync(directory).filter((name) => LOG.test(name));
}

/** What a start would find beside a database that ends with a head. */
function savedTrees(directory: string, head: Head | null): StateTrees | undefined {
  assert.ok(head !== null);
  return new TreeFiles(directory).restore({ read: () => undefined }, head);
}

/** The names of all buckets of a store's trees, as the tables have them. */
function bucketsOf(trees: StateTrees): string[] {
  return (['outputs', 'positions', 'validators', 'keys'] as const).flatMap((name) => {
    const { buckets } = trees.committed(name).tables;
    return Array.from({ length: buckets.length }, (_, bucket) => bucket)
      .filter((bucket) => buckets.leaves(bucket) > 0)
      .map(
        (bucket) =>
          `${name} ${Buffer.from(buckets.name(bucket)).toString('hex')} ${buckets.leaves(bucket)}`,
      )
      .sort();
  });
}

async function assertSame(found: StateTrees | undefined, live: StateTrees): Promise<void> {
  assert.ok(found !== undefined, 'the trees are found');
  assert.deepEqual(found.roots, live.roots);
  assert.deepEqual(bucketsOf(found), bucketsOf(live));
  assert.equal(await checkTrees(found, NEVER), undefined);
}

/** A store whose trees can be restored from its files, at a height or above. */
async function loggedStore(
  directory: string,
  height: number,
  pace = ONE_BASE,
): Promise<LedgerStore> {
  const store = await openLoggedLadder(directory, pace);
  await climb(store, height);
  await untilBase(store, directory);
  return store;
}

/** Cuts are committed until there is a base: it is ended with the next one after its last row. */
async function untilBase(store: LedgerStore, directory: string): Promise<void> {
  await until(async () => {
    await stepLadder(store);
    await sleep(2);
    return existsSync(join(directory, 'trees'));
  }, 'a base');
}

/** As a kill would leave the directory. */
function copied(t: TestContext, directory: string): string {
  const copy = temporaryDirectory(t);
  cpSync(directory, copy, { recursive: true });
  rmSync(join(copy, 'holder.json'), { force: true });
  return copy;
}

function flip(path: string, bit: number): void {
  const bytes = readFileSync(path);
  bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
  writeFileSync(path, bytes);
}

test('a store that was killed opens with the trees of its head, cut after cut', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await loggedStore(directory, 3);
  const roots = await ladderRoots(90);
  while ((store.head?.height ?? 0) < 60) {
    await stepLadder(store);
    await assertSame(savedTrees(directory, store.head), store.trees);
  }
  const copy = copied(t, directory);
  const again = await openLoggedLadder(copy, ONE_BASE);
  assert.equal(again.areTreesRestored, true);
  await climb(again, 90);
  assert.equal(again.head?.stateRoot, roots[90]);
  await assertSame(savedTrees(copy, again.head), again.trees);
  await again.close();
  await store.close();
});

test('proposals that are reverted and groups of cuts leave the trees of the last durable cut, with bases all the time', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await loggedStore(directory, 3, EAGER_TREE_FILES);
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  let durable = store.head;
  const bases = new Set<number>();
  while ((store.head?.height ?? 0) < 250) {
    const next = (store.head?.height ?? 0) + 1;
    const choice = random(6);
    if (choice === 0) applyLadder(store, next);
    else if (choice === 1) {
      applyLadder(store, next);
      await sleep(1);
      store.discard();
    } else if (choice === 2)
      for (let count = random(9); count >= 0; count--) await stepDeferred(store);
    else if (choice === 3) {
      await stepLadder(store, { mayWait: true });
      if (random(2) === 0) store.trees.committed('outputs');
    } else if (choice === 4) await store.flush();
    else await stepLadder(store);
    if (!store.hasWaitingCuts) durable = store.head;
    const found = savedTrees(directory, durable);
    if (store.hasWaitingCuts)
      assert.equal(found === undefined ? undefined : await checkTrees(found, NEVER), undefined);
    else await assertSame(found, store.trees);
    assert.ok(found !== undefined, `trees of cut ${durable?.height}`);
    bases.add(generationOfBase(join(directory, 'trees')));
  }
  assert.ok(bases.size > 3, `${bases.size} bases were written`);
  await store.close();
  assert.ok(logsIn(directory).length <= 2, `${logsIn(directory)}`);
  const again = await openLoggedLadder(directory);
  assert.equal(again.areTreesRestored, true);
  await assertSame(again.trees, store.trees);
  await again.close();
});

test('what is torn, corrupt, missing or of another chain of records has the trees built anew', async (t) => {
  const sound = temporaryDirectory(t);
  const store = await loggedStore(sound, 20);
  await climb(store, 40);
  const [log = ''] = logsIn(sound);
  const copy = copied(t, sound);
  const older = copied(t, sound);
  await climb(store, 44);
  const other = temporaryDirectory(t);
  const rebuilt = await loggedStore(other, 20);
  await climb(rebuilt, 40);
  const { size } = statSync(join(copy, log));
  const changes: [string, (directory: string) => void][] = [
    ['no log', (directory) => rmSync(join(directory, log))],
    ['no base', (directory) => rmSync(join(directory, 'trees'))],
    ['a torn record', (directory) => truncateSync(join(directory, log), size - 1)],
    ['a log of nothing', (directory) => truncateSync(join(directory, log), 0)],
    [
      'zeros at the end',
      (directory) => {
        truncateSync(join(directory, log), size - 100);
        appendFileSync(join(directory, log), Buffer.alloc(100));
      },
    ],
    ['the log of another store', (directory) => cpSync(join(other, log), join(directory, log))],
    [
      'the base of another store',
      (directory) => cpSync(join(other, 'trees'), join(directory, 'trees')),
    ],
    ...Array.from({ length: 30 }, (_, place): [string, (directory: string) => void] => [
      `a flipped bit of the log, ${place}`,
      (directory) => flip(join(directory, log), Math.floor(((place + 0.5) * 8 * size) / 30)),
    ]),
    ...Array.from({ length: 30 }, (_, place): [string, (directory: string) => void] => [
      `a flipped bit of the base, ${place}`,
      (directory) => {
        const base = join(directory, 'trees');
        flip(base, Math.floor(((place + 0.5) * 8 * statSync(base).size) / 30));
      },
    ]),
  ];
  for (const [what, change] of changes) {
    const directory = copied(t, copy);
    change(directory);
    const again = await openLoggedLadder(directory, ONE_BASE);
    assert.equal(again.areTreesRestored, false, what);
    assert.equal(again.head?.stateRoot, (await ladderRoots(40))[40]);
    await again.close();
    assert.ok(savedTrees(directory, again.head) !== undefined, `${what}: saved again`);
  }
  // The log is ahead: what is past the head is cut off.
  cpSync(join(sound, log), join(older, log));
  const ahead = await openLoggedLadder(older, ONE_BASE);
  assert.equal(ahead.areTreesRestored, true);
  await climb(ahead, 41);
  assert.ok(statSync(join(older, log)).size < statSync(join(sound, log)).size);
  await assertSame(savedTrees(older, ahead.head), ahead.trees);
  for (const open of [ahead, rebuilt, store]) await open.close();
});

test('a record that is missing, or comes in another order, has the trees built anew', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await loggedStore(directory, 20);
  const [log = ''] = logsIn(directory);
  const path = join(directory, log);
  const ends: number[] = [];
  for (let count = 0; count < 4; count++) {
    ends.push(statSync(path).size);
    await stepLadder(store);
  }
  const [first = 0, second = 0, third = 0] = ends;
  const bytes = readFileSync(path);
  const cut = (from: number, to?: number) => bytes.subarray(from, to);
  await assertSame(savedTrees(directory, store.head), store.trees);
  writeFileSync(path, Buffer.concat([cut(0, first), cut(second)]));
  assert.equal(savedTrees(directory, store.head), undefined);
  writeFileSync(
    path,
    Buffer.concat([cut(0, first), cut(second, third), cut(first, second), cut(third)]),
  );
  assert.equal(savedTrees(directory, store.head), undefined);
  writeFileSync(path, bytes);
  await assertSame(savedTrees(directory, store.head), store.trees);
  await store.close();
});

test('a database that ends before its base is whole, or behind its log, has the trees built anew', async (t) => {
  const directory = temporaryDirectory(t);
  const pace = { ...EAGER_TREE_FILES, pieceBytes: 200, pauseMillis: 20 };
  const store = await loggedStore(directory, 60, pace);
  const base = readFileSync(join(directory, 'trees'));
  const heads: (Head | null)[] = [];
  await until(async () => {
    await stepLadder(store);
    heads.push(store.head);
    await sleep(2);
    return !readFileSync(join(directory, 'trees')).equals(base);
  }, 'another base');
  const wholeAt = heads.findIndex((head) => head?.cutId === cutOfBase(directory));
  assert.ok(wholeAt > 2, `cuts were committed while it was written: ${wholeAt} of ${heads.length}`);
  for (const [place, head] of heads.entries())
    assert.equal(savedTrees(directory, head) !== undefined, place >= wholeAt, `${place}`);
  const copy = copied(t, directory);
  await stepLadder(store);
  assert.equal(savedTrees(copy, store.head), undefined);
  await store.close();
});

/** The cut that a base is whole with. */
function cutOfBase(directory: string): string {
  const bytes = readFileSync(join(directory, 'trees'));
  return bytes.toString('hex', bytes.length - 112, bytes.length - 64);
}

for (const ending of ['trees.new', '.log'])
  test(`a disk without room for ${ending} keeps neither logs nor a base until the store is closed, and the store continues`, async (t) => {
    for (const writes of [0, 1, 5]) {
      const directory = temporaryDirectory(t);
      const failed = failWrites(t, { ending, writes });
      const store = await openLoggedLadder(directory, ONE_BASE);
      await until(async () => {
        await climb(store, (store.head?.height ?? -1) + 1);
        await sleep(2);
        return failed();
      }, 'a write that fails');
      const { height = 0 } = store.head ?? {};
      await until(async () => {
        await sleep(2);
        return treeFilesIn(directory).length === 0;
      }, 'the removal of what was written');
      await climb(store, height + 5);
      assert.deepEqual(treeFilesIn(directory), []);
      assert.equal(store.head?.stateRoot, (await ladderRoots(height + 5))[height + 5]);
      endFailing(t);
      await store.close();
      const again = await openLoggedLadder(directory, ONE_BASE);
      assert.equal(again.areTreesRestored, true, 'they were saved at the end');
      await again.close();
    }
  });

test('proposals that a chain reverts while it stands still take no room', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await loggedStore(directory, 60, { ...EAGER_TREE_FILES, pieceBytes: 200 });
  const fresh = join(directory, 'trees.new');
  await until(async () => {
    if (!existsSync(fresh)) await stepLadder(store);
    await sleep(1);
    return existsSync(fresh) && bytesMissing(readFileSync(fresh), store.trees) === 0;
  }, 'a base whose rows are all written');
  const next = (store.head?.height ?? 0) + 1;
  for (let round = 0; round < 200; round++) {
    applyLadder(store, next);
    await sleep(1);
    store.discard();
  }
  const log = logPath(directory, generationOfBase(fresh));
  const before = existsSync(log) ? statSync(log).size : 0;
  await stepLadder(store);
  const behindProposals = statSync(log).size;
  await stepLadder(store);
  const behindCut = statSync(log).size;
  assert.ok(behindProposals - before < 20 * (behindCut - behindProposals));
  await assertSame(savedTrees(directory, store.head), store.trees);
  await store.close();
});

function generationOfBase(path: string): number {
  return readFileSync(path).readUInt32LE(24);
}

test('a bucket that is not that of the trees has the next start build them', async (t) => {
  for (const what of ['older', 'missing'] as const) {
    const directory = temporaryDirectory(t);
    const store = await loggedStore(directory, 40);
    const { buckets } = store.trees.committed('outputs').tables;
    const bucket = Array.from({ length: buckets.length }, (_, number) => number).find(
      (number) => buckets.leaves(number) > 0,
    ) as number;
    const key = Uint8Array.of(LAYOUT.buckets.prefix, TREES.outputs, ...buckets.name(bucket));
    const sound = store.keyValues.getSync(key);
    assert.ok(sound !== undefined);
    const copy = copied(t, directory);
    await store.close();
    const again = await openLoggedLadder(copy, ONE_BASE);
    assert.equal(again.areTreesRestored, true);
    const change =
      what === 'missing'
        ? ({ type: 'del', key } as const)
        : ({ type: 'put', key, value: bucketOf(leavesOf(sound)) } as const);
    await again.keyValues.write([change], { sync: true });
    assert.throws(() => again.trees.committed('outputs').record(bucket), StoreDamagedError);
    assert.throws(() => again.view, StoreDamagedError);
    assert.deepEqual(treeFilesIn(copy), []);
    await again.close();
    assert.deepEqual(treeFilesIn(copy), []);
    await assert.rejects(openLoggedLadder(copy, ONE_BASE), StoreDamagedError);
  }
});

test('small trees have no log, and are saved when the store is closed', async (t) => {
  const directory = temporaryDirectory(t);
  const small = { ...ONE_BASE, tableBytesMin: 1 << 20 };
  const store = await openLoggedLadder(directory, small);
  await climb(store, 30);
  assert.deepEqual(logsIn(directory), []);
  await store.close();
  await assertSame(savedTrees(directory, store.head), store.trees);
  const again = await openLoggedLadder(directory, small);
  assert.equal(again.areTreesRestored, true);
  await climb(again, 31);
  const copy = copied(t, directory);
  assert.equal(savedTrees(copy, again.head), undefined);
  await again.close();
  await assertSame(savedTrees(directory, again.head), again.trees);
});

test('a store that is closed while a base is written leaves trees for the next start and nothing else', async (t) => {
  const directory = temporaryDirectory(t);
  for (let round = 0; round < 12; round++) {
    const store = await openLoggedLadder(directory, { ...EAGER_TREE_FILES, logBytesMin: 1 });
    await climb(store, (store.head?.height ?? 0) + 3);
    await sleep(3 * round);
    await store.close();
    assert.equal(existsSync(join(directory, 'trees.new')), false);
    await assertSame(savedTrees(directory, store.head), store.trees);
  }
});
