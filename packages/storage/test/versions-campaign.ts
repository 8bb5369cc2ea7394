/**
 * The versions test with the node's own sizes, as long as asked for:
 * `node … versions-campaign.ts 10000 30000 300000` is that many commits, operations in each, and keys.
 * An interrupted run reports what it has seen so far.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { WriterThread } from '../src/key-value/writer-thread.ts';
import { versionsRun } from './testing/versions-run.ts';
import { openVersionsStores } from './testing/versions-stores.ts';

const VALUE_BYTES = 500;
const COMMITS_PER_REPORT = 50;

const [wanted = 10_000, operations = 30_000, keys = 300_000] = process.argv.slice(2).map(Number);
const directory = mkdtempSync(join(tmpdir(), 'svc-versions-'));
const stores = await openVersionsStores(directory);
const written = mock.method(WriterThread.prototype, 'write');
const random = (below: number) => Math.floor(Math.random() * below);
const plan = { commits: wanted, operations, keys, valueBytes: VALUE_BYTES, checkEvery: 20 };
const start = performance.now();
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    isInterrupted = true;
  });
const report = await versionsRun(stores, plan, random, ({ commits, reads }) => {
  if (commits % COMMITS_PER_REPORT === 0)
    process.stdout.write(`${commits} of ${wanted} commits, ${reads} reads\n`);
  return !isInterrupted;
});
await stores.close();
rmSync(directory, { recursive: true, force: true });
const seconds = Math.round((performance.now() - start) / 1_000);
const { user, system } = process.cpuUsage();
const used = Math.round((user + system) / 1_000_000);
const { commits, reads, wrong } = report;
process.stdout.write(
  `${commits} commits, ${written.mock.callCount()} groups of them by the thread, ${reads} reads, ${wrong.length} wrong, ${seconds} s, ${used} s of processor\n`,
);
for (const line of wrong.slice(0, 20)) process.stdout.write(`${line}\n`);
process.exitCode = wrong.length === 0 ? 0 : 1;
