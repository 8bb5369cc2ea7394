/**
 * The list of error codes in `docs/integrate/svc-wasm.md`, from the one list that the module itself uses.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES } from '../../packages/protocol/src/base/error-codes.ts';
import { code, type Page } from './markdown.ts';

const PATH = 'docs/integrate/svc-wasm.md';
const TABLE = /(<!-- error codes: begin -->\n)[\s\S]*(<!-- error codes: end -->)/;

/** The page with a list that is up to date. */
export function withErrorTable(root: string): Page {
  const rows = Object.entries(ERROR_CODES)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, meaning]) => `- ${code(name)}: ${meaning}\n`);
  const made = rows.join('');
  const text = readFileSync(join(root, PATH), 'utf8');
  return {
    path: PATH,
    text: text.replace(TABLE, (_, begin: string, end: string) => `${begin}${made}${end}`),
  };
}
