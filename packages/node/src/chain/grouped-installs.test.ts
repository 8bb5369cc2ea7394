import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory } from 'svc-base/testing';
import { type LedgerStore, MemoryStore, openStoreOn, type StoreOptions } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { cutToInstall } from '../testing/cut-to-install.ts';
import { ChainCore, type CutToInstall } from './chain-core.ts';
import { DirectoryDisk } from './chain-disk.ts';

const CLOCK = { ...SYSTEM_CLOCK, after: () => () => {} };
const CUTS = 6;
/** By how much a write moves the revision: the block of each cut is written when it comes, everything else with the group. */
const WRITE = 2;
const EVERYTHING = { from: Uint8Array.of(0), to: Uint8Array.of(255), limit: 100_000 };

/** A disk in memory, which counts what is written to it. */
class MemoryDisk extends DirectoryDisk {
  readonly memory: MemoryStore;

  constructor(directory: string, memory: MemoryStore) {
    super(directory);
    this.memory = memory;
  }

  override openStore(options: StoreOptions): Promise<LedgerStore> {
    return openStoreOn(this.memory, options);
  }
}

interface Follower {
  readonly chain: ChainCore;
  readonly memory: MemoryStore;
}

async function follow(
  t: TestContext,
  fixture: ChainFixture,
  installsInGroups: boolean,
  memory: MemoryStore = new MemoryStore(),
): Promise<Follower> {
  const directory = temporaryDirectory(t);
  const chain = await ChainCore.open({
    directory,
    genesis: fixture.genesis,
    mode: 'archive',
    clock: CLOCK,
    log: SILENT_LOG,
    onFatal: (error) => assert.fail(String(error)),
    disk: new MemoryDisk(directory, memory),
    installsInGroups,
  });
  return { chain, memory };
}

/** All records, whatever class their bytes are of. */
async function recordsIn(memory: MemoryStore): Promise<string[][]> {
  return (await memory.range(EVERYTHING)).map((entry) => entry.map((bytes) => toHex(bytes)));
}

async function copyOf(memory: MemoryStore): Promise<MemoryStore> {
  const entries = await memory.range(EVERYTHING);
  const copy = new MemoryStore();
  await copy.write(entries.map(([key, value]) => ({ type: 'put', key, value })));
  return copy;
}

describe('cuts that are installed in groups', async () => {
  const fixture = await ChainFixture.create({ validators: 1 });
  while (fixture.head.height < CUTS)
    await fixture.cut([fixture.mine([await fixture.pay(0, fixture.address(7), 5_000n)])]);
  const cuts: CutToInstall[] = [];
  while (cuts.length < CUTS) cuts.push(await cutToInstall(fixture, cuts.length + 1));

  test('are told one after another and written at once, to the same records', async (t) => {
    const [grouped, single] = [await follow(t, fixture, true), await follow(t, fixture, false)];
    const before = grouped.memory.revision;
    const seen: number[] = [];
    grouped.chain.finalized.on(({ height }) => {
      seen.push(height);
      assert.equal(grouped.chain.head.height, height);
      assert.equal(grouped.chain.reader().head.height, height);
      const groups = height === CUTS ? 1 : 0;
      assert.equal(grouped.memory.revision, before + WRITE * (height + groups), `at ${height}`);
    });
    const installed = await Promise.all(cuts.map((cut) => grouped.chain.install(cut)));
    assert.ok(installed.every(({ type }) => type === 'installed'));
    assert.deepEqual(seen, [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(grouped.chain.head, fixture.head);
    for (const cut of cuts) await single.chain.install(cut);
    assert.deepEqual(await recordsIn(grouped.memory), await recordsIn(single.memory));
    await grouped.chain.close();
    await single.chain.close();
  });

  test('are all lost or all there when the process dies, and are installed again', async (t) => {
    const { chain, memory } = await follow(t, fixture, true);
    await chain.install(cuts[0] as CutToInstall);
    const copies: Promise<MemoryStore>[] = [];
    chain.finalized.on(() => copies.push(copyOf(memory)));
    await Promise.all(cuts.slice(1).map((cut) => chain.install(cut)));
    await chain.close();
    for (const [place, copy] of (await Promise.all(copies)).entries()) {
      const again = await follow(t, fixture, true, copy);
      assert.equal(again.chain.head.height, place === CUTS - 2 ? CUTS : 1);
      await Promise.all(cuts.map((cut) => again.chain.install(cut)));
      assert.deepEqual(again.chain.head, fixture.head);
      await again.chain.close();
    }
  });

  test('make one group with those that come a turn later, and are durable when the last is installed', async (t) => {
    const { chain, memory } = await follow(t, fixture, true);
    const last = cuts.at(-1)?.certificate as Uint8Array;
    await chain.vouch(
      cuts.map(({ header }) => header),
      last,
    );
    const bare = cuts.map((cut) => ({ ...cut, certificate: null }));
    const later: Promise<unknown>[] = [];
    chain.finalized.on(({ height }) => {
      if (height !== 3) return;
      setImmediate(() => later.push(...bare.slice(3).map((cut) => chain.install(cut))));
    });
    const before = memory.revision;
    await Promise.all(bare.slice(0, 3).map((cut) => chain.install(cut)));
    await Promise.all(later);
    assert.equal(chain.head.height, CUTS);
    assert.equal(memory.revision, before + WRITE * (CUTS + 1));
    assert.equal(chain.store.hasWaitingCuts, false);
    await chain.close();
  });

  test('are written although the last of them is refused', async (t) => {
    const { chain, memory } = await follow(t, fixture, true);
    const [one, two, three] = cuts as [CutToInstall, CutToInstall, CutToInstall];
    const wrong = { ...three, certificate: two.certificate };
    const types = await Promise.all([one, two, wrong].map((cut) => chain.install(cut)));
    assert.deepEqual(
      types.map(({ type }) => type),
      ['installed', 'installed', 'refused'],
    );
    const again = await follow(t, fixture, true, await copyOf(memory));
    assert.equal(again.chain.head.height, 2);
    await again.chain.close();
    await chain.close();
  });

  test('are read ahead without buckets only if they are then executed without trees', async (t) => {
    const { chain } = await follow(t, fixture, true);
    const { store } = chain;
    const asked: Record<number, number> = {};
    /** There is no room for each third cut, as at the end of a long group; for the fifth there is none after it was read ahead. */
    const get = (): boolean => {
      const height = chain.head.height + 1;
      asked[height] = (asked[height] ?? 0) + 1;
      return height % 3 !== 0 && (height !== 5 || asked[height] === 1);
    };
    Object.defineProperty(store, 'hasRoom', { get });
    const prepared: Record<number, boolean> = {};
    const executed: Record<number, boolean> = {};
    const prepare = store.prepare.bind(store);
    store.prepare = (input, options) => {
      if (input.height <= CUTS) prepared[input.height] = options?.isDeferred === true;
      return prepare(input, options);
    };
    chain.finalized.on(({ height, result }) => {
      if (height > 1) executed[height] = result.trees.roots === undefined;
    });
    await Promise.all(cuts.map((cut) => chain.install(cut)));
    assert.deepEqual(executed, { 2: true, 3: false, 4: true, 5: false, 6: false });
    assert.deepEqual(prepared, executed);
    await chain.close();
  });

  test('are written when the chain is closed before the others came', async (t) => {
    const { chain, memory } = await follow(t, fixture, true);
    const installing = cuts.map((cut) => chain.install(cut));
    await installing[1];
    await chain.close();
    await Promise.all(installing);
    const again = await follow(t, fixture, true, memory);
    assert.equal(again.chain.head.height, CUTS);
    await again.chain.close();
  });
});
