/** Readers beside commits: an answer is of one cut, or is made anew. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory, until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { StoreMovedError } from '../src/errors.ts';
import type { LedgerStore } from '../src/ledger-store.ts';
import { proveAddress } from '../src/proofs/output-proofs.ts';
import { readAtHead } from '../src/reader/read-at-head.ts';
import { exportSnapshot } from '../src/snapshot/export-snapshot.ts';
import { payeeOf, stepLadder } from './testing/ladder-chain.ts';
import { climb, memoryLadder, openLadder } from './testing/ladder-store.ts';

await init();

const ADDRESSES = [1, 2, 3].map(payeeOf);

async function amountsOf(store: LedgerStore): Promise<string[]> {
  const balances = await store.reader().balances(ADDRESSES);
  return balances.map(({ amount }) => String(amount));
}

test('answers that are read while cuts are committed belong to the cut that they name', async (t) => {
  const store = await openLadder(temporaryDirectory(t));
  await climb(store, 1);
  const expected = new Map([[1, await amountsOf(store)]]);
  const seen: { height: number; amounts: string[]; later: number }[] = [];
  let isClimbing = true;
  const reading = (async () => {
    while (isClimbing) {
      const answer = await readAtHead(store, async (reader) => {
        const history = await reader.history(ADDRESSES[0] as string, { limit: 256 });
        const balances = await reader.balances(ADDRESSES);
        return {
          height: reader.head.height,
          amounts: balances.map(({ amount }) => String(amount)),
          later: history.rows.filter(({ height }) => height > reader.head.height).length,
        };
      });
      seen.push(answer);
      await new Promise((resolve) => void setImmediate(resolve));
    }
  })();
  while ((store.head?.height ?? 0) < 40) {
    const { height } = await stepLadder(store);
    expected.set(height, await amountsOf(store));
    const answers = seen.length;
    if (height % 4 === 0) await until(() => seen.length > answers, 'an answer between the cuts');
  }
  isClimbing = false;
  await reading;
  await store.close();
  for (const { height, amounts, later } of seen) {
    assert.deepEqual(amounts, expected.get(height), `height ${height}`);
    assert.equal(later, 0);
  }
  assert.ok(new Set(seen.map(({ height }) => height)).size > 1, 'one cut only was seen');
});

test('a reader shows on what belongs to heights, hides newer cuts, and refuses what is true of the head', async () => {
  const store = await memoryLadder(12);
  const reader = store.reader();
  const block = (await reader.recentBlocks(1))[0]?.id ?? '';
  const before = { cut: await reader.cut(12), body: await reader.cutBody(7) };
  await stepLadder(store);
  assert.deepEqual({ cut: await reader.cut(12), body: await reader.cutBody(7) }, before);
  assert.equal((await reader.cuts({ limit: 1 })).rows[0]?.height, 12);
  assert.notEqual(await reader.blockBody(block), undefined);
  const newest = await store.reader().cut(13);
  assert.equal(newest?.height, 13);
  assert.equal(await reader.cut(13), undefined);
  assert.equal(await reader.cutById(newest.cutId), undefined);
  assert.equal(await reader.summary(13), undefined);
  assert.equal(await reader.certificate(13), undefined);
  assert.equal((await reader.lastCertificate(1, 13))?.height, 12);
  assert.deepEqual((await reader.cutTransactions(13, { limit: 1 })).rows, []);
  assert.deepEqual((await reader.cutChanges(13, { limit: 1 })).rows, []);
  const [address = ''] = ADDRESSES;
  const refused: (() => Promise<unknown>)[] = [
    async () => reader.balance(address),
    () => reader.balances(ADDRESSES),
    () => reader.utxos(address, { limit: 1 }),
    () => reader.history(address, { limit: 1 }),
    () => reader.statuses(['00'.repeat(48)]),
    () => reader.work(block),
    () => reader.recentTransactions(1),
    () => reader.recentBlocks(1),
    () => reader.validators(),
    () => reader.positionsOf(address),
    () => reader.economy(),
    () => reader.epoch(),
    () => reader.blockBody('00'.repeat(48)),
  ];
  for (const read of refused) await assert.rejects(async () => read(), StoreMovedError);
});

test('many balances that were asked for in the turn of a cut are its own, however late they come', async (t) => {
  const store = await openLadder(temporaryDirectory(t));
  await climb(store, 5);
  const wanted = Array.from({ length: 20 }, (_, index) => payeeOf(index + 1));
  const expected = await store.reader().balances(wanted);
  const reading = store.reader().balances(wanted);
  await stepLadder(store);
  assert.deepEqual(await reading, expected);
  await store.close();
});

test('an export is of its cut although cuts come in between', async () => {
  const [still, moving] = [await memoryLadder(12), await memoryLadder(12)];
  const expected: Uint8Array[] = [];
  for await (const part of exportSnapshot(still)) expected.push(new Uint8Array(part));
  const found: Uint8Array[] = [];
  for await (const part of exportSnapshot(moving)) {
    found.push(new Uint8Array(part));
    await stepLadder(moving);
  }
  assert.ok((moving.head?.height ?? 0) > 12 + 4, 'cuts came in between');
  assert.deepEqual(Buffer.concat(found), Buffer.concat(expected));
});

test('a proof of an address that is begun before a commit is of the cut before it', async (t) => {
  const store = await openLadder(temporaryDirectory(t));
  await climb(store, 5);
  for (const address of [payeeOf(2), payeeOf(1_000)]) {
    const expected = await proveAddress(store, address);
    const proving = proveAddress(store, address);
    await Promise.resolve();
    await stepLadder(store);
    assert.deepEqual(await proving, expected);
  }
  await store.close();
});
