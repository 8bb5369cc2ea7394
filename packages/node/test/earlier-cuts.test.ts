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
import { fromHex, Reader } from 'svc-wasm/base';
import { checkLeaves, readListProof } from 'svc-wasm/protocol';
import { ChainFixture } from '../src/testing/chain-fixture.ts';

const HEIGHT = 130;
/** Less than the chain, so that old lists and blocks are deleted. */
const RULE = { indexedCuts: 10, blockCuts: 10 };

/** Every earlier cut is proven under the root in a header, from the genesis on. */
function expectPaths(store: LedgerStore, chain: ChainFixture, heights: readonly number[]): void {
  for (const height of heights) {
    const { header } = chain.cuts[height - 1] ?? assert.fail(`no cut ${height}`);
    for (let earlier = 0; earlier < height; earlier += 7) {
      const proof = store.proveCuts(height, [earlier]);
      assert.ok(proof !== undefined);
      const id = fromHex(chain.recentCutId(earlier) ?? '');
      checkLeaves(readListProof(new Reader(proof, 'proof')), [id], header.historyRoot);
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
  assert.equal(store.proveCuts(HEIGHT, [0]), undefined, 'no proof from a corrupted node');
  await store.close();
  const again = await openStore(options);
  expectPaths(again, chain, [1, HEIGHT]);
  await again.close();
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
  assert.equal(store.proveCuts(HEIGHT, [1]), undefined);
  const reader = chain.reader();
  while (store.pastLink !== undefined) {
    assert.equal(store.proveCuts(HEIGHT, [HEIGHT - 1]), undefined);
    const { height } = store.pastLink;
    const { header, body, certificate, registered } = await readStoredCut(reader, height);
    await store.fillPast([{ header, body, certificate, blocks: registered }]);
  }
  await reader.close();
  expectPaths(store, chain, [1, HEIGHT - 1, HEIGHT]);
});
