/**
 * The programs that pages of the documentation end in, as modules that find the packages of this repository.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

export interface DepositsProgram {
  creditDeposits(options: {
    url: string;
    token: string;
    database: string;
    signal: AbortSignal;
  }): Promise<void>;
  depositRow(deposit: { amount: string; note: string }): string;
}

export interface WithdrawalsProgram {
  payWithdrawals(
    url: string,
    token: string,
    database: string,
    wanted: { id: string; to: string; amount: string }[],
  ): Promise<void>;
}

/** Writes the last program of a page into a directory and answers its address as a module. */
export function writeProgram(page: string, directory: string): string {
  const block = lastProgram(page, 'ts');
  const client = pathToFileURL(join(root, 'packages/client/src/index.ts')).href;
  const file = join(directory, page.replace('.md', '.ts'));
  writeFileSync(file, block.replaceAll("'svc-client'", JSON.stringify(client)));
  return pathToFileURL(file).href;
}

/** As `writeProgram`, for the last program in Python; the path of its file. */
export function writePythonProgram(page: string, directory: string): string {
  const file = join(directory, page.replace('.md', '.py'));
  writeFileSync(file, lastProgram(page, 'python'));
  return file;
}

function lastProgram(page: string, language: 'python' | 'ts'): string {
  const text = readFileSync(join(root, 'docs/integrate', page), 'utf8');
  const blocks = text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'));
  const block = [...blocks].at(-1)?.[1];
  assert.ok(block !== undefined, `${page} ends in no program`);
  return block;
}
