/**
 * The programs that pages of the documentation end in, as modules that find the packages of this repository.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The languages that whole programs of the documentation are written in. */
export type Language = 'typescript' | 'python';

/** The languages that programs can run in here: Python is not on every machine. */
export function languagesHere(): readonly Language[] {
  const hasPython = spawnSync('python3', ['--version']).status === 0;
  return hasPython ? ['typescript', 'python'] : ['typescript'];
}

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

/** Reads what to pay from its standard input, so that no command line shows a token. */
const RUN_WITHDRAWALS = `
import importlib.util, json, sys
specification = importlib.util.spec_from_file_location("withdrawals", sys.argv[1])
module = importlib.util.module_from_spec(specification)
specification.loader.exec_module(module)
module.pay_withdrawals(*json.load(sys.stdin))
`;

/** The program of the page about withdrawals in Python: a process for each call, which `signal` kills. */
export function pythonWithdrawals(directory: string, signal?: AbortSignal): WithdrawalsProgram {
  const program = writePythonProgram('withdrawals.md', directory);
  return {
    async payWithdrawals(url, token, database, wanted) {
      const rows = wanted.map(({ id, to, amount }) => [id, to, amount]);
      const child = spawn('python3', ['-c', RUN_WITHDRAWALS, program], {
        stdio: ['pipe', 'inherit', 'inherit'],
      });
      const kill = (): boolean => child.kill('SIGKILL');
      signal?.addEventListener('abort', kill, { once: true });
      child.stdin.end(JSON.stringify([url, token, database, rows]));
      const [code, ended] = (await once(child, 'exit')) as [number | null, string | null];
      signal?.removeEventListener('abort', kill);
      assert.deepEqual([code, ended], signal?.aborted ? [null, 'SIGKILL'] : [0, null]);
    },
  };
}

/** Changes the text of a program, to see what becomes of a wrong one. */
export type Change = (text: string) => string;

const UNCHANGED: Change = (text) => text;

/** Writes the last program of a page into a directory and answers its address as a module. */
export function writeProgram(page: string, directory: string, change = UNCHANGED): string {
  const block = change(lastProgram(page, 'ts'));
  const client = pathToFileURL(join(root, 'packages/client/src/index.ts')).href;
  const file = join(directory, page.replace('.md', '.ts'));
  writeFileSync(file, block.replaceAll("'svc-client'", JSON.stringify(client)));
  return pathToFileURL(file).href;
}

/** As `writeProgram`, for the last program in Python; the path of its file. */
export function writePythonProgram(page: string, directory: string, change = UNCHANGED): string {
  const file = join(directory, page.replace('.md', '.py'));
  writeFileSync(file, change(lastProgram(page, 'python')));
  return file;
}

function lastProgram(page: string, language: 'python' | 'ts'): string {
  const text = readFileSync(join(root, 'docs/integrate', page), 'utf8');
  const blocks = text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'));
  const block = [...blocks].at(-1)?.[1];
  assert.ok(block !== undefined, `${page} ends in no program`);
  return block;
}
