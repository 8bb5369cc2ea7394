/**
 * The engine maps its tables into memory, and whatever was read of them stays there: after everything was read once, a node
 * has the size of its database. What a process gives back here stays in the system's memory as long as there is room, and
 * is mapped again when it is read, which takes about a microsecond for 64 KB. Linux alone; elsewhere nothing is done.
 *
 * A mapping must not end while its pages are given back, since its place may belong to something else a moment later: the
 * caller sees to that, see `LevelStore.releasePages`.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { foreignFunctions } from 'svc-base/node';

/** `MADV_DONTNEED` of Linux, the same number on all processors that we build for. */
const ADVICE = 4;
const SIGNATURES = {
  madvise: { arguments: ['pointer', 'uint64', 'int32'], return: 'int32' },
} as const;
/** Of all systems that we build for. */
const PAGE_BYTES = 4_096;
const TABLE = /^ (\d+):\d+\[/gm;
const MAPPING = /^([0-9a-f]+)-([0-9a-f]+) r--s \S+ \S+ \S+ +(\/.*\.ldb)$/gm;

/** The files of the tables that the engine lists as its own. */
export function tablesListed(sstables: string): Set<string> {
  return new Set(
    [...sstables.matchAll(TABLE)].map(([, number = '']) => `${number.padStart(6, '0')}.ldb`),
  );
}

/** Gives back the pages of these tables of a database; returns how many bytes of mappings there were. */
export function releaseTables(directory: string, tables: ReadonlySet<string>): number {
  let bytes = 0;
  try {
    const { functions } = foreignFunctions().dlopen(null, SIGNATURES);
    for (const [, start, end, path = ''] of readFileSync('/proc/self/maps', 'utf8').matchAll(
      MAPPING,
    )) {
      if (dirname(path) !== directory || !tables.has(basename(path))) continue;
      const [from, to] = [BigInt(`0x${start}`), BigInt(`0x${end}`)];
      if (functions.madvise(from, to - from, ADVICE) === 0) bytes += Number(to - from);
    }
  } catch {
    return bytes; // This Node has no foreign functions, or this system shows no mappings.
  }
  return bytes;
}

/** The bytes of files that are mapped and in memory; 0 where the system does not tell. */
export function mappedBytes(): number {
  try {
    const [, , shared] = readFileSync('/proc/self/statm', 'utf8').split(' ').map(Number);
    return (shared ?? 0) * PAGE_BYTES;
  } catch {
    return 0;
  }
}
