/**
 * Which tables the engine may read when it is asked to compact a range of keys: in each level those that have keys of the
 * range, which grows with the keys of all of them on the way down. It reads a part of these.
 */
import type { KeyRange } from '../key-value/key-value-store.ts';
import type { LiveTable } from './level-manifest.ts';
import { KEY_SUFFIX_BYTES } from './table-index.ts';

export function tablesToCompact(
  tables: readonly LiveTable[],
  range: KeyRange,
): readonly LiveTable[] {
  const wanted = new Set<LiveTable>();
  let reach = range;
  for (const level of [...new Set(tables.map((table) => table.level))].sort((a, b) => a - b)) {
    const inLevel = tables.filter((table) => table.level === level);
    for (let before = -1; before !== wanted.size; ) {
      before = wanted.size;
      for (const table of inLevel.filter((one) => overlaps(one, reach))) wanted.add(table);
      // Tables of the first level overlap each other; what is merged reaches as far as all that goes into it.
      reach = spanOf([reach, ...[...wanted].map(keysOf)]);
    }
  }
  return [...wanted];
}

function spanOf(ranges: readonly KeyRange[]): KeyRange {
  const from = ranges.map((one) => one.from).reduce((a, b) => (Buffer.compare(a, b) <= 0 ? a : b));
  const to = ranges.map((one) => one.to).reduce((a, b) => (Buffer.compare(a, b) >= 0 ? a : b));
  return { from, to };
}

function keysOf(table: LiveTable): KeyRange {
  return { from: firstKey(table), to: lastKey(table) };
}

/** Both ends of the range count. */
function overlaps(table: LiveTable, { from, to }: KeyRange): boolean {
  return Buffer.compare(firstKey(table), to) <= 0 && Buffer.compare(lastKey(table), from) >= 0;
}

function firstKey({ smallest }: LiveTable): Uint8Array {
  return smallest.subarray(0, -KEY_SUFFIX_BYTES);
}

function lastKey({ largest }: LiveTable): Uint8Array {
  return largest.subarray(0, -KEY_SUFFIX_BYTES);
}
