/**
 * Writes the list of error codes into `docs/integrate/svc-wasm.md`, from the one list that the
 * module itself uses.
 *
 * Usage: node tools/bootstrap.mjs tools/error-table.ts [--check]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { ERROR_CODES } from '../packages/protocol/src/base/error-codes.ts';

const DOCUMENT = new URL('../docs/integrate/svc-wasm.md', import.meta.url);
const TABLE = /(<!-- error codes: begin -->\n)[\s\S]*(<!-- error codes: end -->)/;

/** The document with a list that is up to date. */
export function withErrorTable(text: string): string {
  const rows = Object.entries(ERROR_CODES)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, meaning]) => `- \`${code}\`: ${meaning}\n`);
  return text.replace(TABLE, (_, begin: string, end: string) => `${begin}${rows.join('')}${end}`);
}

if (import.meta.main) {
  const found = readFileSync(DOCUMENT, 'utf8');
  const wanted = withErrorTable(found);
  if (!process.argv.includes('--check')) {
    writeFileSync(DOCUMENT, wanted);
  } else if (found !== wanted) {
    process.stderr.write('the list of error codes is out of date; run tools/error-table.ts\n');
    process.exitCode = 1;
  }
}
