import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HistoryEntry } from '../cut.ts';
import { toHex } from '../protocol.ts';
import { changeRecords } from './cut-lists.ts';

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

test('changes are listed by the whole address, also where the beginnings are equal', () => {
  const common = `00${'5'.repeat(14)}`;
  const addresses = ['f', '0', '7', '0', 'e'].map((digit) => common.padEnd(98, digit));
  const records = changeRecords(addresses.map(entry));
  assert.deepEqual(
    records.map((record) => toHex(record.subarray(0, ADDRESS_BYTES))),
    addresses.toSorted(),
  );
});
