/**
 * What `long-sync.ts` measures, of Litecoin Core: `node tools/bootstrap.mjs packages/node/test/cluster/litecoin-sync.ts [blocks]
 * [payments a block]`. A newcomer syncs a chain of payments from one node and checks every signature. Both scripts in turn
 * tell how the two compare on the same machine. It takes `litecoind` from the path (Debian has a package of this name).
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeLitecoinChain } from './testing/litecoin-chain.ts';
import { LitecoinNode } from './testing/litecoin-node.ts';
import { SyncMeter } from './testing/sync-meter.ts';
import { pause } from './testing/wait.ts';

const [blocks = 200, payments = 300] = process.argv.slice(2).map(Number);
const ROUNDS = 3;
const LOOK_MILLIS = 20;
const PORT = 31_480;
const MEMORY = '/dev/shm';
/** As a node of ours has it that is told nothing. */
const CACHE_MEGABYTES = 256;
const PROCESSORS = 2;

function say(text: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`);
}

const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'svc-litecoin-'));
const start = (name: string, port: number): Promise<LitecoinNode> =>
  LitecoinNode.start({
    ...{ directory: join(folder, name), port },
    ...{ cacheMegabytes: CACHE_MEGABYTES, checkers: PROCESSORS },
  });

/** Lets a newcomer sync, and tells what it took from the first block with payments on. */
async function sync(from: number): Promise<void> {
  const newcomer = await start('newcomer', PORT + 2);
  try {
    const meter = new SyncMeter(newcomer);
    await newcomer.call('addnode', `127.0.0.1:${PORT}`, 'onetry');
    let noted = from;
    while (noted < from + blocks) {
      await pause(LOOK_MILLIS);
      const height = await newcomer.call<number>('getblockcount');
      if (height > noted) meter.note(height);
      noted = Math.max(noted, height);
    }
    for (const line of meter.report(payments)) say(line);
  } finally {
    await newcomer.stop();
    rmSync(join(folder, 'newcomer'), { recursive: true });
  }
}

const server = await start('server', PORT);
try {
  const onProgress = (made: number): void => say(`made ${made} of ${blocks} blocks`);
  const from = await makeLitecoinChain(server, { blocks, payments, onProgress });
  for (let round = 1; round <= ROUNDS; round++) await sync(from);
} finally {
  await server.stop();
  rmSync(folder, { recursive: true });
}
