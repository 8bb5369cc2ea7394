import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommitteeMember } from 'svc-ledger';
import { init } from 'svc-wasm';
import {
  type ChainRecovery,
  decodeCertificate,
  encodeCertificate,
  signerIndexes,
} from 'svc-wasm/protocol';
import { formatCodec, retentionCodec } from '../src/codec/meta-records.ts';
import { BatchBuilder } from '../src/commit/batch-builder.ts';
import { heightKey } from '../src/commit/keys.ts';
import { prune, thinCertificates } from '../src/commit/prune.ts';
import { trimCertificate } from '../src/commit/trim-certificate.ts';
import { StoreFormatError } from '../src/errors.ts';
import { MemoryStore } from '../src/key-value/memory-store.ts';
import { FORMAT_VERSION, rangeOf, type StoreTable } from '../src/layout.ts';
import { putMeta } from '../src/open/meta.ts';
import { openStoreOn } from '../src/open/open-store-on.ts';
import { isCheckpoint, RETENTION } from '../src/retention.ts';
import { ladderPayment } from './testing/ladder-chain.ts';
import { ladderOptions, memoryLadder } from './testing/ladder-store.ts';

await init();

async function countOf(disk: MemoryStore, table: StoreTable): Promise<number> {
  return (await disk.range({ ...rangeOf(table), limit: 1e9 })).length;
}

test('certificates: the last 2,880, then every 576th, the last of each epoch and that of a recovery', () => {
  const interval = 34_560;
  const recoveries = [{ height: 700 } as ChainRecovery];
  const rules = { interval, recoveries };
  const deleted = (height: number) => {
    const batch = new BatchBuilder();
    thinCertificates(batch, height, rules);
    return batch.operations.map(({ key }) => Buffer.from(key).toString('hex'));
  };
  const key = (height: number) => Buffer.from(heightKey('certificates', height)).toString('hex');
  assert.deepEqual(deleted(2_880), []);
  assert.deepEqual(deleted(2_881), [key(1)]);
  assert.deepEqual(deleted(2_880 + 575), [key(575)]);
  assert.deepEqual(deleted(2_880 + 576), []);
  assert.deepEqual(deleted(2_880 + interval), []);
  assert.deepEqual(deleted(2_880 + interval + 1), [key(interval + 1)]);
  assert.deepEqual(deleted(2_880 + 700), [], 'the last cut of a set that a recovery replaced');
  const every120 = { interval: 120, recoveries: [] };
  assert.ok(isCheckpoint(120, every120) && !isCheckpoint(121, every120));
});

test('a stored certificate has the fewest signers that pass two thirds, by falling stake', () => {
  const stakes = [5n, 30n, 10n, 40n, 15n];
  const members = stakes.map((stake) => ({ stake })) as unknown as CommitteeMember[];
  const signatures = stakes.map((_, index) => new Uint8Array(3_309).fill(index));
  const id = new Uint8Array(48);
  const base = { height: 9n, round: 0, cutId: id, validatorSetId: id };
  const full = encodeCertificate({ ...base, signers: 31n, signatures });
  const trimmed = decodeCertificate(trimCertificate(full, members));
  assert.deepEqual(signerIndexes(trimmed.signers), [1, 3]);
  assert.deepEqual(
    trimmed.signatures.map(([byte]) => byte),
    [1, 3],
  );
  const few = encodeCertificate({ ...base, signers: 7n, signatures: signatures.slice(0, 3) });
  assert.deepEqual(trimCertificate(few, members), few);
});

test('pruned keeps the state and headers but not old lists; full keeps lists but not old blocks', async () => {
  const height = 40;
  for (const mode of ['pruned', 'full', 'archive'] as const) {
    const disk = new MemoryStore();
    const store = await memoryLadder(height, disk);
    const before = {
      history: await countOf(disk, 'history'),
      blocks: await countOf(disk, 'blockBodies'),
      headers: await countOf(disk, 'headers'),
      outputs: await countOf(disk, 'outputs'),
    };
    const { blockCuts } = RETENTION.full;
    const cutsAhead = mode === 'pruned' ? RETENTION.pruned.indexedCuts : blockCuts;
    let retention = { ...store.retention, mode };
    for (let step = 0; step < 8; step++) {
      const batch = new BatchBuilder();
      retention = await prune(batch, disk, 20 + cutsAhead, retention);
      await disk.write(batch.operations);
    }
    const blocksGone = mode === 'archive' ? 0 : 20;
    assert.equal(retention.blocksFrom, 1 + blocksGone, mode);
    assert.equal(await countOf(disk, 'blockBodies'), before.blocks - blocksGone, mode);
    assert.equal(await countOf(disk, 'headers'), before.headers);
    assert.equal(await countOf(disk, 'outputs'), before.outputs);
    if (mode !== 'pruned') {
      assert.equal(await countOf(disk, 'history'), before.history);
      continue;
    }
    assert.equal(retention.indexedFrom, 21);
    const reader = store.reader();
    const rows = await reader.recentTransactions(500);
    assert.ok(rows.length > 0 && rows.every((row) => row.height > 20));
    const [old, kept] = await reader.statuses([ladderPayment(9).id, ladderPayment(29).id]);
    assert.equal(old, undefined);
    assert.equal(kept?.height, 30);
    await reader.close();
  }
});

test('a store can keep less than it did, never more', async () => {
  const disk = new MemoryStore();
  await memoryLadder(5, disk);
  assert.equal((await openStoreOn(disk, ladderOptions('pruned'))).retention.mode, 'pruned');
  const batch = new BatchBuilder();
  const store = await openStoreOn(disk, ladderOptions('pruned'));
  const retention = await prune(batch, disk, 3 + RETENTION.pruned.blockCuts, store.retention);
  assert.equal(retention.blocksFrom, 4);
  await disk.write(batch.operations);
  const meta = new BatchBuilder();
  putMeta(meta, 'retention', retentionCodec, retention);
  await disk.write(meta.operations);
  await assert.rejects(openStoreOn(disk, ladderOptions('full')), StoreFormatError);
  await assert.rejects(openStoreOn(disk, ladderOptions('archive')), StoreFormatError);
  await openStoreOn(disk, ladderOptions('pruned'));
});

test('a store of another chain or a newer format is refused; an older one is migrated', async () => {
  const disk = new MemoryStore();
  await memoryLadder(2, disk);
  const { chainId: _chainId, ...rest } = ladderOptions();
  await assert.rejects(openStoreOn(disk, { ...rest, chainId: '22'.repeat(48) }), /use another/);
  const setFormat = async (format: number) => {
    const batch = new BatchBuilder();
    putMeta(batch, 'format', formatCodec, format);
    await disk.write(batch.operations);
  };
  await setFormat(FORMAT_VERSION + 1);
  await assert.rejects(openStoreOn(disk, ladderOptions()), /newer release/);
  await setFormat(FORMAT_VERSION - 1);
  await assert.rejects(openStoreOn(disk, ladderOptions()), /sync anew/);
  let migrated = 0;
  const migrations = new Map([[FORMAT_VERSION - 1, async () => void migrated++]]);
  const store = await openStoreOn(disk, { ...ladderOptions(), migrations });
  assert.equal(migrated, 1);
  assert.equal(store.head?.height, 2);
  await openStoreOn(disk, ladderOptions());
});
