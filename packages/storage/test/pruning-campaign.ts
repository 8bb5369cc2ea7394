/**
 * Sizes of a full and of a pruned store of the same cuts, and how long commits take beside a compaction:
 * `node tools/bootstrap.mjs packages/storage/test/pruning-campaign.ts [cuts] [kept] [block bytes]`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { init } from 'svc-wasm';
import { LevelStore } from '../src/key-value/level-store.ts';
import type { LedgerStore } from '../src/ledger-store.ts';
import { openStore } from '../src/open/open-store.ts';
import { climbWithBlocks, EVERYTHING } from './testing/heavy-ladder.ts';
import { ladderOptions, openLadder } from './testing/ladder-store.ts';

const [cuts = 1_000, kept = 100, blockBytes = 500_000] = process.argv.slice(2).map(Number);

/** Milliseconds of every commit up to a height, in ascending order. */
async function climbTimed(store: LedgerStore, height: number): Promise<number[]> {
  const times: number[] = [];
  for (let next = (store.head?.height ?? 0) + 1; next <= height; next++) {
    const began = performance.now();
    await climbWithBlocks(store, next, blockBytes);
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b);
}

async function tell(name: string, directory: string, times: readonly number[]): Promise<void> {
  const [bytes] = execFileSync('du', ['-sb', directory], { encoding: 'utf8' }).split('\t');
  const files = readdirSync(join(directory, 'db')).length;
  const at = (share: number) => times[Math.floor(share * (times.length - 1))]?.toFixed(0);
  process.stdout.write(
    `${name}: ${(Number(bytes) / 1e6).toFixed(1)} MB in ${files} files; a commit takes ${at(0.5)} ms, of 100 one ${at(0.99)} ms, the longest ${at(1)} ms\n`,
  );
}

await init();
/** The pauses of a compaction keep no process alive. */
const staying = setInterval(() => {}, 1_000);
const directory = mkdtempSync(join(tmpdir(), 'svc-pruning-'));
try {
  const full = await openLadder(join(directory, 'full'), 'full');
  const fullTimes = await climbTimed(full, cuts);
  await tell('full', join(directory, 'full'), fullTimes);
  await full.keyValues.compact(EVERYTHING);
  await tell('full, all of it compacted', join(directory, 'full'), fullTimes);
  await full.close();
  const { compact } = LevelStore.prototype;
  for (const isCompacted of [false, true]) {
    LevelStore.prototype.compact = isCompacted ? compact : async () => {};
    const folder = join(directory, isCompacted ? 'pruned' : 'uncompacted');
    const pruned = await openStore({
      ...ladderOptions('pruned'),
      directory: folder,
      rule: { indexedCuts: kept, blockCuts: kept },
    });
    const times = await climbTimed(pruned, cuts);
    await pruned.compacted();
    await tell(isCompacted ? 'pruned' : 'pruned, not compacted', folder, times);
    await pruned.close();
  }
} finally {
  clearInterval(staying);
  rmSync(directory, { recursive: true, force: true });
}
