/**
 * A newcomer begins with a large state from three servers and one that lies, and another is killed on the way:
 * `node tools/bootstrap.mjs packages/node/test/cluster/state-sync.ts [outputs] [kills] [folder]`. Tells seconds, bytes beside
 * the state's size, and memory. The chain is made in the folder, or taken from there if it was made before; without a folder all
 * lies in memory. Ten million outputs need about 20 GB on the disk of the folder.
 */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { MEMORY_PARENT, temporaryDirectory } from 'svc-base/testing';
import { isPrepared, prepareChain } from './testing/prepared-chain.ts';
import { fetchedBytes, hasChain, StateServers, stateIn, told } from './testing/state-servers.ts';
import { peakMegabytesOf, processorSecondsOf } from './testing/usage.ts';
import { waited } from './testing/wait.ts';

const [outputs = 100_000, kills = 5] = process.argv.slice(2, 4).map(Number);
const folder = process.argv[4] ?? temporaryDirectory(undefined, MEMORY_PARENT);
const PACE_MILLIS = 2_500;
const WAIT_MILLIS_MAX = 3_600_000;
const CACHE_MEGABYTES = 256;
const MEGABYTE = 1 << 20;

function say(text: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`);
}

if (!isPrepared(folder)) {
  await prepareChain(folder, outputs, PACE_MILLIS);
  say(`made a chain that begins with ${outputs} outputs`);
}
const servers = await StateServers.start({
  folder,
  followers: 3,
  uploadKilobytesPerSecond: 0,
  isLastLying: true,
});
try {
  say(`${servers.servers.length} servers have the chain`);
  await servers.kept();
  const folder = stateIn(servers.servers[0] ?? assert.fail()) ?? assert.fail();
  const { size } = statSync(join(folder, 'ranges'));
  say(`the state of cut ${folder.split('/').at(-1)} has ${(size / MEGABYTE).toFixed(1)} MB`);
  const newcomer = await servers.newcomer(CACHE_MEGABYTES);
  for (let kill = 1; kill <= kills; kill++) {
    const target = (size * kill) / (kills + 1);
    newcomer.launch();
    await waited(
      async () => {
        newcomer.expectAlive();
        return fetchedBytes(newcomer) >= target || hasChain(newcomer) ? true : undefined;
      },
      'a part of the state',
      WAIT_MILLIS_MAX,
    );
    await newcomer.kill();
    say(`killed with ${(fetchedBytes(newcomer) / MEGABYTE).toFixed(1)} MB`);
  }
  const began = performance.now();
  newcomer.launch();
  await waited(
    async () => {
      newcomer.expectAlive();
      return told(newcomer, 'ready').length > 0 ? true : undefined;
    },
    'the newcomer to be ready',
    WAIT_MILLIS_MAX,
  );
  const seconds = (performance.now() - began) / 1_000;
  const [received] = told(newcomer, 'all ranges have come');
  const bytes = received?.['receivedBytes'] ?? 0;
  say(
    `ready after ${seconds.toFixed(1)} s; received ${(bytes / MEGABYTE).toFixed(1)} MB since its last start, ${(bytes / size).toFixed(2)} times the state`,
  );
  say(
    `it used ${processorSecondsOf(newcomer.processId).toFixed(1)} s of processor and at most ${Math.round(peakMegabytesOf(newcomer.processId))} MB`,
  );
  await servers.cluster.advance(2, WAIT_MILLIS_MAX);
  say(`it follows: all agree at ${await servers.cluster.agree()}`);
} finally {
  await servers.close();
}
