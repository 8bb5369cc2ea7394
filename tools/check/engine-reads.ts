/**
 * LevelDB 1.20 loses and revives records while a snapshot is older than its files, so the engine is used
 * through `ReadGate` alone: one file imports it, without snapshots, and only one thread reads a database. The thread that
 * writes large batches for it must not read. Benchmarks may compare themselves with the bare engine, and one test
 * double shows what happens without the gate.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './check.ts';
import type { Source } from './layers.ts';
import { ROOT, repositoryFiles } from './repository.ts';

const SOURCE = /^packages\/(?!bench\/)[^/]+\/(?:src|test)\/.*\.ts$/;
const ENGINE_FILE = 'packages/storage/src/key-value/level-store.ts';
const IMPORT = /from 'classic-level'|import\('classic-level'\)/;
const WRITER_FILE = 'packages/storage/src/key-value/writer-worker.ts';
/** The control of the versions test, which shows what the engine does without the gate. */
const CONTROL_FILE = 'packages/storage/test/testing/ungated-store.ts';
const SNAPSHOT = [/\.snapshot\(|\bsnapshot\s*[:,}]/, 'takes a snapshot of the engine'] as const;
const READ = [
  /\.(?:get|getSync|getMany|has|hasMany|iterator|keys|values|sublevel)\(/,
  'reads beside the gate',
] as const;
const FORBIDDEN: ReadonlyMap<string, readonly (readonly [RegExp, string])[]> = new Map([
  [ENGINE_FILE, [SNAPSHOT]],
  [WRITER_FILE, [SNAPSHOT, READ]],
  [CONTROL_FILE, []],
]);

export const engineReads: Check = {
  name: 'engine reads',
  run: async () =>
    repositoryFiles()
      .filter((path) => SOURCE.test(path))
      .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
      .flatMap(engineReadProblems),
};

export function engineReadProblems({ path, text }: Source): string[] {
  const forbidden = FORBIDDEN.get(path);
  if (forbidden === undefined)
    return IMPORT.test(text) ? [`${path}: imports the engine; use the port \`KeyValueStore\``] : [];
  return forbidden.filter(([pattern]) => pattern.test(text)).map(([, what]) => `${path}: ${what}`);
}
