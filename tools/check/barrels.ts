/**
 * An index lists the names it exports: `export *` hides where a name comes from and makes everything public. A
 * namespace (`export * as limits`) has a name of its own and is allowed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './check.ts';
import type { Source } from './layers.ts';
import { ROOT, repositoryFiles } from './repository.ts';

/** The entries of the protocol package, which differ only in how they load the kernel. */
const ENTRIES = 'packages/protocol/src/entry/';
const SOURCE = /^(?:packages\/[^/]+\/(?:src|test|fuzz|demo)|tools)\/.*\.tsx?$/;

export const barrels: Check = {
  name: 'barrels',
  run: async () =>
    repositoryFiles()
      .filter((path) => SOURCE.test(path) && !path.startsWith(ENTRIES))
      .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
      .flatMap(barrelProblems),
};

export function barrelProblems({ path, text }: Source): string[] {
  return [...text.matchAll(/^export \*(?! as )[^;]*;/gm)].map(
    ([statement]) => `${path}: names are listed, not passed on by \`${statement}\``,
  );
}
