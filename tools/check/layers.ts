/**
 * Arrows between packages point one way, and pure packages stay pure. Reads imports and names as
 * text; comments and strings are blanked first so that prose is free to speak of clocks.
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
const TEST_FILE = /\.test\.tsx?$|\/testing\//;

export interface Source {
  readonly path: string;
  readonly text: string;
}

export const layers: Check = {
  name: 'layers',
  run: async () => {
    const sources = repositoryFiles()
      .filter((path) => SHIPPED.test(path))
      .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
    return [...unlistedPackages(), ...sources.flatMap((source) => layerProblems(source))];
  },
};

function unlistedPackages(): string[] {
  const folders = new Set(repositoryFiles().map((path) => /^packages\/([^/]+)\//.exec(path)?.[1]));
  return [...folders]
    .filter((folder) => folder !== undefined && LAYERS[folder] === undefined)
    .map((folder) => `packages/${folder} is not in tools/check/layer-table.ts`);
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
