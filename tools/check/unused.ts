/**
 * Every dependency of a package is imported by it, and every allowance of the layer table is used by shipped code. A
 * name counts as used where a string is that name or begins with it and a slash: programs also name modules to workers
 * and loaders.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './check.ts';
import { LAYERS } from './layer-table.ts';
import { isTestFile, type Source, siblingOf, withoutComments } from './layers.ts';
import { ROOT, repositoryFiles } from './repository.ts';

const CODE = /^packages\/[^/]+\/.*\.(?:ts|tsx|js|mjs)$/;
const STRING = /'([^'\\\n]+)'|"([^"\\\n]+)"/g;

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export const unused: Check = {
  name: 'unused dependencies and allowances',
  run: async () => {
    const files = repositoryFiles();
    return Object.keys(LAYERS).flatMap((folder) => {
      const sources = files
        .filter((path) => path.startsWith(`packages/${folder}/`) && CODE.test(path))
        .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
      const manifest = JSON.parse(
        readFileSync(join(ROOT, 'packages', folder, 'package.json'), 'utf8'),
      ) as Manifest;
      return [
        ...unusedDependencies(folder, manifest, sources),
        ...unusedAllowances(folder, sources),
      ];
    });
  },
};

export function unusedDependencies(
  folder: string,
  manifest: Manifest,
  sources: readonly Source[],
): string[] {
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  const shipped = namesIn(sources.filter(({ path }) => isShipped(path)));
  const all = namesIn(sources);
  const neededByTypes = (name: string) => name.replace(/^@types\//, '');
  return [
    ...Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isNamed(name, shipped))
      .map((name) => `packages/${folder}: shipped code never imports its dependency ${name}`),
    ...Object.keys(devDependencies ?? {})
      .filter((name) => !isNamed(neededByTypes(name), all))
      .map((name) => `packages/${folder}: nothing imports its development dependency ${name}`),
  ];
}

export function unusedAllowances(folder: string, sources: readonly Source[]): string[] {
  const names = namesIn(sources.filter(({ path }) => isShipped(path)));
  const siblings = [...names].flatMap((name) => {
    const sibling = siblingOf(name);
    return sibling === undefined ? [] : [`${sibling}${name.replace(/^[^/]+/, '')}`];
  });
  const { imports = [], libraries = [] } = LAYERS[folder] ?? {};
  const isUnused = (allowed: string, used: Iterable<string>) =>
    !isNamed(allowed.replace(/\/$/, ''), new Set(used));
  return [
    ...imports.filter((allowed) => isUnused(allowed, siblings)),
    ...libraries.filter((allowed) => isUnused(allowed, names)),
  ].map((allowed) => `tools/check/layer-table.ts: ${folder} may import ${allowed}, and never does`);
}

function isShipped(path: string): boolean {
  return /^packages\/[^/]+\/(?:src|bin)\//.test(path) && !isTestFile(path);
}

function isNamed(name: string, used: ReadonlySet<string>): boolean {
  return [...used].some((one) => one === name || one.startsWith(`${name}/`));
}

/** Strings that can name a module. */
function namesIn(sources: readonly Source[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { text } of sources)
    for (const [, single, double] of withoutComments(text).matchAll(STRING))
      names.add((single ?? double) as string);
  return names;
}
