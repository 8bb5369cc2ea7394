/**
 * The public names of a library as its sources declare them: comment and signature of each. The compiler writes the
 * declarations file by file, without looking at other files, which takes a fraction of a second.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix, relative } from 'node:path';
import { ROOT } from '../release/paths.ts';

const COMPILER = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const RE_EXPORT = /^export (?:type )?\{([^}]*)\} from '(\.[^']+)';$/gm;
const DECLARATION =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function|class|interface|type|const) (\w+)/;

export interface DeclaredName {
  readonly name: string;
  /** The file that declares it, from the root of the repository. */
  readonly file: string;
  /** The text of the comment, empty if there is none. */
  readonly comment: string;
  readonly signature: string;
}

/** The names that each entry exports, in the order of the entry. */
export function declaredNames(entries: readonly string[]): ReadonlyMap<string, DeclaredName[]> {
  const exported = new Map(entries.map((entry) => [entry, exportsOf(entry)]));
  const files = new Set([...exported.values()].flat().map(({ file }) => file));
  const declared = declarationsOf([...files]);
  return new Map(
    [...exported].map(([entry, rows]) => [
      entry,
      rows.map(({ name, file }) => {
        const found = declared.get(file)?.find((each) => each.name === name);
        if (found === undefined) throw new Error(`${file} does not declare ${name}`);
        return found;
      }),
    ]),
  );
}

/** The names that an entry exports from other files, or its own where it lists none. */
function exportsOf(entry: string): { readonly name: string; readonly file: string }[] {
  const text = readFileSync(join(ROOT, entry), 'utf8');
  if (/^export \*/m.test(text)) throw new Error(`${entry} exports all of a file: list the names`);
  const listed = [...text.matchAll(RE_EXPORT)].flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter((name) => name !== '')
      .map((name) => ({ name, file: posix.join(posix.dirname(entry), from) })),
  );
  if (listed.length > 0) return listed;
  return (declarationsOf([entry]).get(entry) ?? []).map(({ name, file }) => ({ name, file }));
}

function declarationsOf(files: readonly string[]): Map<string, DeclaredName[]> {
  const out = mkdtempSync(join(tmpdir(), 'svc-declared-'));
  const base = join(ROOT, 'packages');
  try {
    execFileSync(
      process.execPath,
      [COMPILER, ...SETTINGS, '--rootDir', base, '--outDir', out, ...files],
      {
        cwd: ROOT,
        encoding: 'utf8',
      },
    );
    return new Map(
      files.map((file) => {
        const place = relative(base, join(ROOT, dirname(file)));
        const name = posix.basename(file).replace(/\.ts$/, '.d.ts');
        return [file, parseDeclarations(readFileSync(join(out, place, name), 'utf8'), file)];
      }),
    );
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

const SETTINGS = [
  '--ignoreConfig',
  '--noCheck',
  '--noResolve',
  '--declaration',
  '--emitDeclarationOnly',
  '--isolatedDeclarations',
  '--allowImportingTsExtensions',
  '--target',
  'esnext',
  '--module',
  'esnext',
  '--moduleResolution',
  'bundler',
] as const;

/** Reads a declaration file as the compiler writes it: every statement begins in the first column. */
export function parseDeclarations(text: string, file: string): DeclaredName[] {
  const found: DeclaredName[] = [];
  const lines = text.split('\n');
  let comment: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (line.startsWith('/**')) {
      const end = lines.findIndex((each, place) => place >= at && each.endsWith('*/'));
      comment = lines.slice(at, end + 1);
      at = end;
      continue;
    }
    const name = DECLARATION.exec(line)?.[1];
    if (name === undefined) {
      if (!line.startsWith(' ')) comment = [];
      continue;
    }
    const end = endOfStatement(lines, at);
    const signature = tidy(lines.slice(at, end));
    found.push({ name, file, comment: commentText(comment), signature });
    comment = [];
    at = end - 1;
  }
  return found;
}

/**
 * The line after a statement: brackets are closed there, and it ends with a semicolon or a brace. A type ends with a
 * semicolon alone: its members end with braces too.
 */
function endOfStatement(lines: readonly string[], from: number): number {
  const ends = /^export (?:declare )?type /.test(lines[from] ?? '') ? /;$/ : /[;}]$/;
  let depth = 0;
  for (let at = from; at < lines.length; at++) {
    const line = (lines[at] ?? '').replace(/^\s*(?:\/\*\*|\*).*$/, '');
    depth += (line.match(/[{([]/g)?.length ?? 0) - (line.match(/[})\]]/g)?.length ?? 0);
    if (depth === 0 && ends.test(line)) return at + 1;
  }
  throw new Error(`no end of ${lines[from]}`);
}

/** Two columns instead of four, the members of a union below its name, and nothing that callers cannot use. */
function tidy(lines: readonly string[]): string {
  const isUnion = /=\s*$/.test(lines[0] ?? '');
  return lines
    .filter((line) => !/^\s+(?:#private;|private\b)/.test(line))
    .map((line) => line.replace(/^(?: {4})+/, (indent) => indent.slice(indent.length / 2)))
    .map((line, at) => (isUnion && at > 0 ? `  ${line.replace(/^ \|/, '|')}` : line).trimEnd())
    .join('\n')
    .trimEnd()
    .replace(/^export (?:declare )?/, '');
}

function commentText(lines: readonly string[]): string {
  return lines
    .map((line) => line.replace(/^\s*\/?\*+\/?\s?/, '').replace(/\s*\*\/$/, ''))
    .join('\n')
    .trim();
}
