/**
 * No file imports itself by way of others, within a package or across packages. Type imports count: a cycle of types
 * ties files together for readers just as one of values does.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Check } from './check.ts';
import { importsOf, type Source } from './layers.ts';
import { ROOT, repositoryFiles } from './repository.ts';

const SOURCE = /^(?:packages\/[^/]+\/(?:src|test|fuzz|demo|bin)|tools)\/.*\.(?:tsx?|mjs|js)$/;
const SIBLING = /^(svc-[a-z]+)(\/.+)?$/;

/** The file of each entry of a package, such as `svc-base/pure`. */
export type Entries = ReadonlyMap<string, string>;

export const cycles: Check = {
  name: 'cycles',
  run: async () => {
    const files = repositoryFiles().filter((path) => existsSync(join(ROOT, path)));
    const sources = files
      .filter((path) => SOURCE.test(path))
      .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
    return importCycles(sources, entriesOf(files));
  },
};

/** One line for each group of files that import each other in a circle. */
export function importCycles(sources: readonly Source[], entries: Entries): string[] {
  const graph = new Map<string, readonly string[]>();
  for (const source of sources) graph.set(source.path, targetsOf(source, entries));
  return circles(graph).map((path) => `imports in a circle: ${path.join(' → ')}`);
}

function targetsOf({ path, text }: Source, entries: Entries): string[] {
  return importsOf(text)
    .map((target) =>
      target.startsWith('.') ? posix.join(posix.dirname(path), target) : entries.get(target),
    )
    .filter((target) => target !== undefined);
}

/** A depth-first walk that reports the way back whenever it meets a file that is still being walked. */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const visit = (path: string): void => {
    if (done.has(path) || !graph.has(path)) return;
    const at = way.indexOf(path);
    if (at >= 0) {
      found.push([...way.slice(at), path]);
      return;
    }
    way.push(path);
    for (const target of graph.get(path) ?? []) visit(target);
    way.pop();
    done.add(path);
  };
  for (const path of [...graph.keys()].sort()) visit(path);
  return found;
}

function entriesOf(files: readonly string[]): Entries {
  const entries = new Map<string, string>();
  for (const path of files.filter((file) => /^packages\/[^/]+\/package\.json$/.test(file))) {
    const { name, exports = {} } = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as {
      name: string;
      exports?: Record<string, string | Record<string, string>>;
    };
    if (!SIBLING.test(name)) continue;
    for (const [entry, target] of Object.entries(exports)) {
      const file = typeof target === 'string' ? target : (target['default'] ?? '');
      entries.set(posix.join(name, entry), posix.join(posix.dirname(path), file));
    }
  }
  return entries;
}
