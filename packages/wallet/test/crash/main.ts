/**
 * The whole crash matrix, or cases spread evenly over it. Parts of it run on networks of their own, one after the other, so
 * that no wallet grows old; the groups of payments come with the last part.
 *
 * Usage: npm run crash -- [--cases 432] [--first 0] [--node mempool_full] [--restored] [--cancel] [--rescan] [--change-addresses n] [--part 48]
 *
 * `--node` leaves the cases in which the node behaves so. With `--restored` every case goes on with a backup of the state from before its call. With
 * `--cancel` every case is one of a payment that waits and is cancelled: the daemon dies in the cancellation. With `--rescan` the wallet
 * reads its past once more in every case when the daemon dies. With `--change-addresses` change goes to so many addresses in turn.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ALL_CASES, type Case, cancelSome, rescanSome, restoreSome, spread } from './matrix.ts';
import { runMatrix } from './run-matrix.ts';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: String(ALL_CASES.length) },
    first: { type: 'string', default: '0' },
    part: { type: 'string', default: '48' },
    node: { type: 'string' },
    restored: { type: 'boolean', default: false },
    cancel: { type: 'boolean', default: false },
    rescan: { type: 'boolean', default: false },
    'change-addresses': { type: 'string' },
  },
});

const plain = spread(Number(values.cases), Number(values.first)).filter(
  ({ node }) => values.node === undefined || values.node === node,
);
const calls = values.cancel ? cancelSome(plain, 1) : plain;
const restored = values.restored ? restoreSome(calls, 1) : calls;
const cases = values.rescan ? rescanSome(restored, 1) : restored;
const few = values['change-addresses'];
const size = Number(values.part);
const started = Date.now();
let failed = 0;
let done = 0;
let crashes = 0;

function tell({ client, node, point }: Case, error: unknown): void {
  done++;
  if (error !== undefined) failed++;
  const verdict =
    error === undefined ? 'ok' : `FAILED ${error instanceof Error ? error.message : ''}`;
  process.stdout.write(`${done}/${cases.length} ${point} ${node} ${client}: ${verdict}\n`);
}

for (let at = 0; at < cases.length; at += size) {
  const directory = mkdtempSync(join(tmpdir(), 'svc-crash-'));
  const isLast = at + size >= cases.length;
  try {
    crashes += await runMatrix({
      cases: cases.slice(at, at + size),
      directory,
      changeAddresses: few === undefined ? null : Number(few),
      hasGroups: isLast,
      onCase: (each, _, error) => tell(each, error),
    });
  } catch (error) {
    failed++;
    process.stdout.write(`a part FAILED ${error instanceof Error ? error.message : ''}\n`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
const seconds = Math.round((Date.now() - started) / 1000);
process.stdout.write(
  `${cases.length} cases, ${crashes} deaths at a point, ${failed} failed, ${seconds} s\n`,
);
process.exitCode = failed === 0 ? 0 : 1;
