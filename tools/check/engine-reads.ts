/**
 * LevelDB 1.20 loses and revives records while a snapshot is older than its files (ADR 0103), so the engine is used
 * through `ReadGate` alone: one file imports it, without snapshots, and only one thread opens a database. Benchmarks
 * may compare themselves with the bare engine.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './check.ts';
import type { Source } from './layers.ts';
import { ROOT, repositoryFiles } from './repository.ts';

const SOURCE = /^packages\/(?!bench\/)[^/]+\/(?:src|test)\/.*\.ts$/;
const ENGINE_FILE = 'packages/storage/src/key-value/level-store.ts';
const IMPORT = /from 'classic-level'|import\('classic-level'\)/;
const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/\.snapshot\(|\bsnapshot\s*[:,}]/, 'takes a snapshot of the engine'],
  [/\bmultithreading\b/, 'lets other threads read beside the gate'],
];

export const engineReads: Check = {
  name: 'engine reads',
  run: async () =>
    repositoryFiles()
      .filter((path) => SOURCE.test(path))
      .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
      .flatMap(engineReadProblems),
};

export function engineReadProblems({ path, text }: Source): string[] {
  if (path !== ENGINE_FILE)
    return IMPORT.test(text) ? [`${path}: imports the engine; use the port \`KeyValueStore\``] : [];
  return FORBIDDEN.filter(([pattern]) => pattern.test(text)).map(([, what]) => `${path}: ${what}`);
}
