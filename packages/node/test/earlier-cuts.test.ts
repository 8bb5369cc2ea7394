/**
 * Paths to earlier cuts from the nodes that a store keeps of its history: in every mode, on the disk over a restart, and in a store
 * that began with a snapshot.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import {
  ChecksummedStore,
  exportSnapshot,
  importSnapshot,
  type LedgerStore,
  MemoryStore,
  openStore,
  openStoreOn,
  readStoredCut,
} from 'svc-storage';
import { fromHex } from 'svc-wasm/base';
import { checkLeaves } from 'svc-wasm/protocol';
import { ChainFixture } from '../src/testing/chain-fixture.ts';

const HEIGHT = 130;
/** Less than the chain, so that old lists and blocks are deleted. */
const RULE = { indexedCuts: 10, blockCuts: 10 };

/** Every earlier cut is proven under the root in a header, from the genesis on. */
function expectPaths(store: LedgerStore, chain: ChainFixture, heights: readonly number[]): void {
  for (const height of heights) {
    const { header } = chain.cuts[height - 1] ?? assert.fail(`no cut ${height}`);
    for (let earlier = 0; earlier < height; earlier += 7) {
      const proof = store.pastIds.prove(height, [earlier]);
      assert.ok(proof !== undefined);
      const id = fromHex(chain.recentCutId(earlier) ?? '');
      assert.deepEqual(proof.leaves, [id]);
      checkLeaves(proof.list, [id], header.historyRoot);
    }
  }
}

for (const mode of ['archive', 'full', 'pruned'] as const)
  test(`a store of mode ${mode} proves every earlier cut, whatever else it has deleted`, async () => {
    const rule = mode === 'archive' ? {} : { rule: RULE };
    const chain = await ChainFixture.create({ mode, ...rule });
    await chain.runTo(HEIGHT);
    if (mode !== 'archive') assert.equal(chain.retention.blocksFrom, HEIGHT - RULE.blockCuts + 1);
    expectPaths(chain.store, chain, [1, 64, HEIGHT - 1, HEIGHT]);
    await chain.close();
  });

test('nodes of the history are in a file of at most 96 bytes a cut, and are made again where it is lost or wrong', async (t) => {
  const directory = temporaryDirectory(t);
  const keyValues = await ChecksummedStore.open(join(directory, 'db'));
  const chain = await ChainFixture.create({ keyValues });
  await chain.runTo(HEIGHT);
  await chain.close();
  const { chainId, parameters } = chain;
  const file = join(directory, 'history');
  const changes: (() => void)[] = [
    () => assert.ok(!existsSync(file)),
    () => {},
    () => rmSync(file),
    () => truncateSync(file, 48 * 3),
    () => writeFileSync(file, new Uint8Array(statSync(file).size)),
  ];
  for (const change of changes) {
    change();
    const store = await openStore({ directory, chainId, parameters, mode: 'archive' });
    expectPaths(store, chain, [1, HEIGHT]);
    await store.close();
    assert.ok(statSync(file).size <= 96 * HEIGHT);
  }
  const bytes = readFileSync(file);
  bytes[50] = 1 ^ (bytes[50] as number);
  writeFileSync(file, bytes);
  const options = { directory, chainId, parameters, mode: 'archive' } as const;
  const store = await openStore(options);
  assert.equal(store.pastIds.prove(HEIGHT, [0]), undefined, 'no proof from a corrupted node');
  await store.close();
  const again = await openStore(options);
  expectPaths(again, chain, [1, HEIGHT]);
  await again.close();
});

/** A store of a directory that begins with the state of the head of the chain. */
async function beginFrom(
  chain: ChainFixture,
  directory: string,
  mode: 'full' | 'pruned',
): Promise<void> {
  const keyValues = await ChecksummedStore.open(join(directory, 'db'));
  const { chainId } = chain;
  await importSnapshot(keyValues, exportSnapshot(chain.store), {
    ...{ chainId, mode, directory },
    checkCertificate: () => {},
  });
  await keyValues.close();
}

/** A snapshot has the headers of the last hundred cuts or so. */
const LONG = 330;
const PAGE = 40;

/** The next page of ids that a store lacks, as another store proves it. */
function nextIds(store: LedgerStore, server: LedgerStore): readonly Uint8Array[] {
  const { height, from, root } = store.pastIds.missing ?? assert.fail('nothing is missing');
  const count = Math.min(PAGE, height - from);
  const heights = Array.from({ length: count }, (_, place) => from + place);
  const { list, leaves } = server.pastIds.prove(height, heights) ?? assert.fail('no proof');
  checkLeaves(list, leaves, root);
  return leaves;
}

for (const mode of ['full', 'pruned'] as const)
  test(`a store of mode ${mode} that began with a snapshot proves every earlier cut once it has the ids, over kills on the way`, async (t) => {
    const chain = await ChainFixture.create();
    t.after(() => chain.close());
    await chain.runTo(LONG);
    const directory = temporaryDirectory(t);
    await beginFrom(chain, directory, mode);
    const { chainId, parameters } = chain;
    const open = () => openStore({ directory, chainId, parameters, mode });
    const left: number[] = [];
    for (let store = await open(); ; store = await open()) {
      const { missing } = store.pastIds;
      left.push(store.pastIds.left);
      if (missing === undefined) {
        expectPaths(store, chain, [LONG]);
        await store.close();
        break;
      }
      assert.equal(store.pastIds.prove(LONG, [1]), undefined);
      store.pastIds.add(missing.from, nextIds(store, chain.store));
      const isWhole = store.pastIds.left === 0;
      await store.close();
      // A kill leaves a part of a node at the end of the file.
      const file = join(directory, 'history');
      if (!isWhole) truncateSync(file, statSync(file).size - 1);
    }
    assert.ok(left.length > 3 && left.at(-1) === 0, `${left}`);
  });

test('wrong ids of earlier cuts are dropped when the list is complete, and asked for again', async (t) => {
  const chain = await ChainFixture.create();
  t.after(() => chain.close());
  await chain.runTo(LONG);
  const directory = temporaryDirectory(t);
  await beginFrom(chain, directory, 'pruned');
  const { chainId, parameters } = chain;
  const store = await openStore({ directory, chainId, parameters, mode: 'pruned' });
  t.after(() => store.close());
  const add = (ids: readonly Uint8Array[]): void =>
    store.pastIds.add(store.pastIds.missing?.from ?? 0, ids);
  const [first, ...others] = nextIds(store, chain.store);
  add([(first as Uint8Array).toReversed(), ...others]);
  while (store.pastIds.left > PAGE) add(nextIds(store, chain.store));
  add(nextIds(store, chain.store));
  assert.equal(store.pastIds.left, LONG - 1, 'the chain id alone is kept');
  assert.equal(store.pastIds.prove(LONG, [1]), undefined);
  store.pastIds.add(7, nextIds(store, chain.store));
  assert.equal(store.pastIds.left, LONG - 1, 'ids that are not the next ones are ignored');
  while (store.pastIds.left > 0) add(nextIds(store, chain.store));
  expectPaths(store, chain, [LONG]);
});

test('a store that began with a snapshot proves no path before the cuts below it are here, and each after', async (t) => {
  const chain = await ChainFixture.create();
  t.after(() => chain.close());
  await chain.runTo(HEIGHT);
  const keyValues = new MemoryStore();
  const { chainId } = chain;
  await importSnapshot(keyValues, exportSnapshot(chain.store), {
    chainId,
    mode: 'full',
    directory: temporaryDirectory(t),
    checkCertificate: () => {},
  });
  const store = await openStoreOn(keyValues, {
    chainId,
    parameters: chain.parameters,
    mode: 'full',
  });
  t.after(() => store.close());
  assert.equal(store.pastIds.prove(HEIGHT, [1]), undefined);
  const reader = chain.reader();
  while (store.pastLink !== undefined) {
    assert.equal(store.pastIds.prove(HEIGHT, [HEIGHT - 1]), undefined);
    const { height } = store.pastLink;
    const { header, body, certificate, registered } = await readStoredCut(reader, height);
    await store.fillPast([{ header, body, certificate, blocks: registered }]);
  }
  await reader.close();
  expectPaths(store, chain, [1, HEIGHT - 1, HEIGHT]);
});
