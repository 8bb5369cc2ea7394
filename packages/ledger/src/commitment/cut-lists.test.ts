import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { HistoryEntry } from '../cut.ts';
import { compareText } from '../identifiers.ts';
import { toHex } from '../protocol.ts';
import { changeRecords, changesRoot, type ListRoot, outcomeRoot } from './cut-lists.ts';

const ADDRESS_BYTES = 49;

function entry(address: string): HistoryEntry {
  return {
    address,
    kind: 'received',
    source: 'regular',
    amount: 1n,
    outpoint: 'ab'.repeat(52),
    transactionId: 'cd'.repeat(48),
  };
}

/** Few addresses, many of which begin alike. */
const addressText = fc
  .tuple(fc.constantFrom('00', '01', '02'), fc.nat(96), fc.constantFrom('0', '7', 'f'))
  .map(([type, alike, digit]) => `${type}${'5'.repeat(alike)}`.padEnd(98, digit));

test('changes are listed by the whole address, and those of one address in the order of execution', () => {
  fc.assert(
    fc.property(fc.array(addressText, { maxLength: 200 }), (addresses) => {
      const expected = addresses
        .map((address, index) => ({ address, index }))
        .sort((a, b) => compareText(a.address, b.address) || a.index - b.index);
      const found = changeRecords(addresses.map(entry)).map((record) => ({
        address: toHex(record.subarray(0, ADDRESS_BYTES)),
        index: Buffer.from(record).readUInt32LE(ADDRESS_BYTES),
      }));
      assert.deepEqual(found, expected);
    }),
  );
});

test('both roots are those of their own lists, and a change keeps its place in the order of execution', () => {
  const lists: [string, readonly Uint8Array[]][] = [];
  const root: ListRoot = (kind, records) => {
    lists.push([kind, records]);
    return new Uint8Array(48).fill(lists.length);
  };
  const addresses = ['f', '0', '7'].map((digit) => `00${digit.repeat(96)}`);
  assert.equal(changesRoot(root, addresses.map(entry)), '01'.repeat(48));
  const outcome = {
    transactionId: '11'.repeat(48),
    blockId: '22'.repeat(48),
    kind: 'finalized',
    reason: '',
    fee: 5n,
    noteHash: '',
    payers: [],
  } as const;
  assert.equal(outcomeRoot(root, [outcome]), '02'.repeat(48));
  assert.deepEqual(
    lists.map(([kind, records]) => [kind, records.length]),
    [
      ['change', 3],
      ['outcome', 1],
    ],
  );
  const places = lists[0]?.[1].map((record) => record[ADDRESS_BYTES]);
  assert.deepEqual(places, [1, 2, 0]);
});
