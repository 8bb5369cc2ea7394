/**
 * The whole crash matrix, or cases spread evenly over it.
 *
 * Usage: node tools/bootstrap.mjs packages/wallet/test/crash/main.ts [cases] [first]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALL_CASES, spread } from './matrix.ts';
import { runMatrix } from './run-matrix.ts';

const [count = ALL_CASES.length, first = 0] = process.argv.slice(2).map(Number);
const cases = spread(count, first);
const directory = mkdtempSync(join(tmpdir(), 'svc-crash-'));
const started = Date.now();
let failed = 0;
let crashes = 0;
try {
  crashes = await runMatrix({
    cases,
    directory,
    onCase: ({ client, node, point }, done, error) => {
      if (error !== undefined) failed++;
      const verdict =
        error === undefined ? 'ok' : `FAILED ${error instanceof Error ? error.message : ''}`;
      process.stdout.write(`${done}/${cases.length} ${point} ${node} ${client}: ${verdict}\n`);
    },
  });
} finally {
  rmSync(directory, { recursive: true, force: true });
}
const seconds = Math.round((Date.now() - started) / 1000);
process.stdout.write(
  `${cases.length} cases, ${crashes} deaths at a point, ${failed} failed, ${seconds} s\n`,
);
process.exitCode = failed === 0 ? 0 : 1;
