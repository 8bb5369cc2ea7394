/**
 * The mutations of the rows: files `*.txt` in this folder, in blocks that an empty line ends.
 *
 * ```
 * ECON-03 packages/ledger/src/rules/emission.ts
 * - what stands in the file, once
 * + what it is replaced by
 * ```
 *
 * A block may begin with several ids: the same mutation then has to fail a test of each. A mutation without a row names the test
 * file that has to fail instead of ids. `\\n` stands for the end of a line, and lines that begin with `# ` are comments.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../check/repository.ts';

export interface Mutation {
  /** The id of a row, or the path of a test file. */
  readonly id: string;
  /** Relative to the root of the repository. */
  readonly file: string;
  readonly text: string;
  readonly replacement: string;
}

const FOLDER = join(ROOT, 'tools/mutations');
const FIRST_LINE = /^((?:[A-Z]+-[0-9]{2} )+|\S+\.test\.ts )(\S+)$/;

export function readMutations(): readonly Mutation[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.txt'))
    .toSorted()
    .flatMap((name) => parseMutations(readFileSync(join(FOLDER, name), 'utf8'), name));
}

export function parseMutations(text: string, name: string): readonly Mutation[] {
  return text
    .split(/\n(?:\s*\n)+/)
    .map((block) => block.split('\n').filter((line) => line !== '' && !line.startsWith('# ')))
    .filter((lines) => lines.length > 0)
    .flatMap((lines) => readBlock(lines, name));
}

function readBlock([first = '', removed = '', added = '', ...more]: string[], name: string) {
  const [, ids, file] = FIRST_LINE.exec(first) ?? [];
  const isWhole = removed.startsWith('- ') && /^\+( |$)/.test(added) && more.length === 0;
  if (ids === undefined || file === undefined || !isWhole)
    throw new Error(`${name}: expected ids and a file, "- text" and "+ text", found: ${first}`);
  const [text, replacement] = [removed, added].map((line) => line.slice(2).replaceAll('\\n', '\n'));
  if (text === undefined || replacement === undefined || text === replacement)
    throw new Error(`${name}: ${first} changes nothing`);
  return ids
    .trim()
    .split(' ')
    .map((id): Mutation => ({ id, file, text, replacement }));
}

/** Whether a mutation has to fail a test file, not the tests of a row. */
export function isOfFile({ id }: Pick<Mutation, 'id'>): boolean {
  return id.endsWith('.test.ts');
}

/** The file with the mutation in it; undefined if the text does not occur in it exactly once. */
export function mutated(source: string, { text, replacement }: Mutation): string | undefined {
  const at = source.indexOf(text);
  if (at < 0 || source.includes(text, at + 1)) return undefined;
  return source.slice(0, at) + replacement + source.slice(at + text.length);
}
