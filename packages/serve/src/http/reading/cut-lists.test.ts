import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HistoryEntry } from 'svc-ledger';
import type { ChainReader } from 'svc-storage';
import { init } from 'svc-wasm';
import { decodeChangesProof } from 'svc-wasm/protocol';
import { CutLists } from './cut-lists.ts';

await init();

const CUT = { height: 7, cutId: 'ef'.repeat(48) };
/** Addresses in the order of the tree. */
const ADDRESSES = ['1', '2', '3', '4'].map((digit) => digit.repeat(98));

function received(address: string): HistoryEntry {
  return {
    kind: 'received',
    source: 'regular',
    amount: 1n,
    address,
    outpoint: 'ab'.repeat(52),
    transactionId: 'cd'.repeat(48),
  };
}

/** Gives one change on each page; the first reads fail. */
function readerOf(failures = 0): ChainReader {
  let left = failures;
  const cutChanges: ChainReader['cutChanges'] = async (_height, { after = -1 }) => {
    if (left-- > 0) throw new Error('a read failed');
    const at = after + 1;
    const next = at + 1 < ADDRESSES.length ? at : null;
    return { rows: [{ index: at, entry: received(ADDRESSES[at] as string) }], next };
  };
  return { cutChanges } as ChainReader;
}

async function provenOf(lists: CutLists, reader: ChainReader, at: number) {
  const proof = await lists.proveChanges(reader, CUT, [ADDRESSES[at] as string]);
  const { list, leaves } = decodeChangesProof(proof);
  return { count: list.count, addresses: leaves.map(({ address }) => address) };
}

test('a list has the changes of all pages, and a proof the leaves on both sides', async () => {
  const lists = new CutLists();
  for (const [at, from] of [
    [1, 0],
    [2, 1],
  ] as const) {
    const addresses = ADDRESSES.slice(from, from + 3);
    assert.deepEqual(await provenOf(lists, readerOf(), at), { count: 4, addresses });
  }
});

test('a list that could not be read is read again', async () => {
  const lists = new CutLists();
  const reader = readerOf(1);
  await assert.rejects(provenOf(lists, reader, 0), /a read failed/);
  assert.equal((await provenOf(lists, reader, 0)).count, 4);
});
