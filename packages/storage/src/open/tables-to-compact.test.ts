import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiveTable } from './level-manifest.ts';
import { KEY_SUFFIX_BYTES } from './table-index.ts';
import { tablesToCompact } from './tables-to-compact.ts';

function table(level: number, first: string, last: string): LiveTable {
  const keyOf = (text: string) =>
    Buffer.concat([Buffer.from(text), Buffer.alloc(KEY_SUFFIX_BYTES)]);
  const found = { level, smallest: keyOf(first), largest: keyOf(last) };
  return found as unknown as LiveTable;
}

test('what overlaps with what is merged is merged too, level by level', () => {
  const tables = [
    table(0, 'a', 'm'),
    table(0, 'l', 'r'),
    table(0, 'x', 'z'),
    table(1, 'q', 't'),
    table(1, 'v', 'w'),
    table(2, 's', 'u'),
    table(2, 'y', 'z'),
  ];
  const range = { from: Buffer.from('b'), to: Buffer.from('c') };
  const found = tablesToCompact(tables, range).map((one) => tables.indexOf(one));
  assert.deepEqual(found, [0, 1, 3, 5]);
  assert.deepEqual(tablesToCompact(tables, { from: Buffer.from('uu'), to: Buffer.from('uv') }), []);
});
