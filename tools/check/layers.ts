/**
 * Arrows between packages point one way, and pure packages stay pure. Reads imports and names as
 * text; comments and strings are blanked first so that prose may mention clocks.
 */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Check } from './check.ts';
import {
  FETCHING_FILES,
  IMPURE_GLOBALS,
  LAYERS,
  type Layer,
  PURE_FOLDERS,
  SHELL_FILES,
} from './layer-table.ts';
import { ROOT, repositoryFiles } from './repository.ts';

const IMPORT =
  /\b(?:import|export)\s[^'"();]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g;
const SHIPPED = /^packages\/([^/]+)\/src\/.*\.tsx?$/;
/** Every file of a package with code: also what tests, fuzzes or starts it. */
const CODE = /^packages\/([^/]+)\/.*\.(?:tsx?|js|mjs)$/;
const TEST_FILE = /\.test\.tsx?$|\/testing\//;
/** Built files that a server takes from `page`; they are no code of it. */
const ASSETS = /^page\/(?:pool-)?files$/;

export interface Source {
  readonly path: string;
  readonly text: string;
}

export const layers: Check = {
  name: 'layers',
  run: async () => {
    const sources = repositoryFiles()
      .filter((path) => CODE.test(path))
      .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
    return [
      ...unlistedPackages(),
      ...testsThatLeadBack(),
      ...sources.flatMap((source) => [...layerProblems(source), ...testProblems(source)]),
    ];
  },
};

function unlistedPackages(): string[] {
  const folders = new Set(repositoryFiles().map((path) => /^packages\/([^/]+)\//.exec(path)?.[1]));
  return [...folders]
    .filter((folder) => folder !== undefined && LAYERS[folder] === undefined)
    .map((folder) => `packages/${folder} is not in tools/check/layer-table.ts`);
}

/** Packages that tests import although these import the package under test. */
function testsThatLeadBack(): string[] {
  return Object.entries(LAYERS).flatMap(([folder, { tests = [] }]) =>
    tests
      .filter((target) => importedBelow(target).has(folder))
      .map((target) => `tests of ${folder} import ${target}, which imports ${folder}`),
  );
}

/** The packages that one imports, directly or through others. */
function importedBelow(folder: string): Set<string> {
  const found = new Set<string>();
  const open = [folder];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const entry of LAYERS[next]?.imports ?? []) {
      const sibling = entry.split('/')[0] as string;
      if (ASSETS.test(entry) || found.has(sibling)) continue;
      found.add(sibling);
      open.push(sibling);
    }
  }
  return found;
}

/** Siblings that a test, a fuzzer or a demonstration imports without being allowed to. */
export function testProblems(source: Source): string[] {
  const folder = CODE.exec(source.path)?.[1];
  const layer = folder === undefined ? undefined : LAYERS[folder];
  if (folder === undefined || layer === undefined) return [];
  if (SHIPPED.test(source.path) && !TEST_FILE.test(source.path)) return [];
  const allowed = [...layer.imports, ...(layer.tests ?? []), folder, 'base'];
  const packages = allowed.map((entry) => entry.split('/')[0]);
  return importsOf(source.text)
    .map((target) => folderOf(source.path, target))
    .filter((sibling) => sibling !== undefined && !packages.includes(sibling))
    .map((sibling) => `${source.path}: tests of ${folder} may not import ${sibling}`);
}

/** The folder in `packages` that an import leads to. */
function folderOf(path: string, target: string): string | undefined {
  if (!target.startsWith('.')) return siblingOf(target);
  return /^packages\/([^/]+)\//.exec(posix.join(posix.dirname(path), target))?.[1];
}

/** What one shipped file does that its layer forbids. Tests may use Node and anything declared. */
export function layerProblems(source: Source): string[] {
  const folder = SHIPPED.exec(source.path)?.[1];
  const layer = folder === undefined ? undefined : LAYERS[folder];
  if (folder === undefined || layer === undefined || isTestFile(source.path)) return [];
  const problems: string[] = [];
  for (const target of importsOf(source.text)) {
    const problem = importProblem(source.path, folder, target);
    if (problem !== undefined) problems.push(`${source.path}: ${problem}`);
  }
  if (isPure(source.path, layer)) {
    problems.push(
      ...impureNames(source).map((name) => `${source.path}: a pure package names ${name}`),
    );
  }
  return problems;
}

/** What a file imports or exports from, as it is written. */
export function importsOf(text: string): string[] {
  return [...withoutComments(text).matchAll(IMPORT)].map(
    (match) => (match[1] ?? match[2] ?? match[3]) as string,
  );
}

export function isTestFile(path: string): boolean {
  return TEST_FILE.test(path);
}

function isPure(path: string, layer: Layer): boolean {
  if (layer.pure) return !SHELL_FILES.includes(path);
  return pureFolderOf(path) !== undefined;
}

function pureFolderOf(path: string): string | undefined {
  return PURE_FOLDERS.find((folder) => path.startsWith(folder));
}

function importProblem(path: string, folder: string, target: string): string | undefined {
  const layer = LAYERS[folder];
  if (layer === undefined) return undefined;
  if (target.startsWith('.')) {
    if (target.endsWith('.test.ts') || /(^|\/)(test|fuzz|demo)\//.test(target)) {
      return `shipped code imports ${target}`;
    }
    const room = pureFolderOf(path);
    const isInside = room === undefined || posix.join(posix.dirname(path), target).startsWith(room);
    return isInside ? undefined : `a pure folder imports ${target}`;
  }
  if (target.startsWith('node:')) {
    return isPure(path, layer) ? `a pure package imports ${target}` : undefined;
  }
  const sibling = siblingOf(target);
  if (sibling !== undefined) {
    const entry = `${sibling}/${target.slice(target.indexOf('/') + 1)}`;
    if (sibling === folder || layer.imports.includes(sibling) || layer.imports.includes(entry)) {
      return undefined;
    }
    const listsAnother = layer.imports.some((name) => name.startsWith(`${sibling}/`));
    return `${folder} may not import ${listsAnother ? target : sibling}`;
  }
  const allowed = layer.libraries.some((library) =>
    library.endsWith('/')
      ? target.startsWith(library)
      : target === library || target.startsWith(`${library}/`),
  );
  return allowed ? undefined : `${folder} may not import ${target}`;
}

export function siblingOf(target: string): string | undefined {
  const name = /^svc-([a-z]+)(?:\/|$)/.exec(target)?.[1];
  if (name === 'wasm') return 'protocol';
  return name;
}

function impureNames({ path, text }: Source): string[] {
  const code = withoutComments(text).replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''");
  const names = FETCHING_FILES.includes(path) ? IMPURE_GLOBALS : [...IMPURE_GLOBALS, 'fetch'];
  const found = names.filter((name) =>
    new RegExp(`(?<![.\\w$])${name}(?=\\s*[.(])|\\bnew ${name}\\b`).test(code),
  );
  if (/\bMath\.random\b/.test(code)) found.push('Math.random');
  return found;
}

export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/(?<!:)\/\/[^\n]*/g, ' ');
}
