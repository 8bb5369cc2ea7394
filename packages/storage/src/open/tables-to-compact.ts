/**
 * Which tables the engine reads when it is asked to compact a range of keys: in each level those that have keys of the
 * range, and in the next level those that have keys between the first and the last of these.
 */
import type { KeyRange } from '../key-value/key-value-store.ts';
import type { LiveTable } from './level-manifest.ts';
import { KEY_SUFFIX_BYTES } from './table-index.ts';

export function tablesToCompact(
  tables: readonly LiveTable[],
  range: KeyRange,
): readonly LiveTable[] {
  const wanted = new Set<LiveTable>();
  const levels = Map.groupBy(tables, ({ level }) => level);
  for (const [level, inLevel] of levels) {
    const reached = inLevel.filter((table) => overlaps(table, range));
    if (reached.length === 0) continue;
    const below = levels.get(level + 1) ?? [];
    const span = spanOf(reached);
    for (const table of [...reached, ...below.filter((one) => overlaps(one, span))])
      wanted.add(table);
  }
  return [...wanted];
}

function spanOf(tables: readonly LiveTable[]): KeyRange {
  const from = tables.map(firstKey).reduce((a, b) => (Buffer.compare(a, b) <= 0 ? a : b));
  const to = tables.map(lastKey).reduce((a, b) => (Buffer.compare(a, b) >= 0 ? a : b));
  return { from, to };
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
