/**
 * Mines blocks on a development genesis and submits them to a pool in the given directory, until it is killed.
 * A line `accepted <id>` leaves only after the pool has answered; `opened <count>` says what it found.
 */
import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { targetOf } from 'svc-mining/pow';
import { LevelStore } from 'svc-storage';
import { fromHex } from 'svc-wasm/base';
import { meetsTarget, POW_SIZES, pow, powInput, powSeed } from 'svc-wasm/kernel';
import { Anchors } from '../src/blocks/anchors.ts';
import { WorkBlockPool } from '../src/blocks/block-pool.ts';
import { ChainFixture } from '../src/testing/chain-fixture.ts';

// A process that is killed keeps nothing of what it has compiled; the next one starts with it.
flushCompileCache();
const [directory = ''] = process.argv.slice(2);
const { cacheBytes, datasetBytes } = POW_SIZES.development;
const AT_ONCE = 4;

const chain = await ChainFixture.create();
const cache = pow.makeCache(powSeed(fromHex(chain.chainId), 0n), cacheBytes);
const hash = (header: Uint8Array) => pow.light(cache, datasetBytes, powInput(header)).result;
const pool = await WorkBlockPool.open({
  chain,
  anchors: await Anchors.open(chain),
  mempool: { get: () => undefined },
  pow: {
    check: async (header) => {
      const result = hash(header);
      return { holds: meetsTarget(result, targetOf(header)), result };
    },
  },
  store: await LevelStore.open(join(directory, 'blocks')),
  clock: SYSTEM_CLOCK,
  log: SILENT_LOG,
  onFatal: (error) => {
    throw error;
  },
});
writeSync(1, `opened ${pool.size}\n`);
await Promise.all(Array.from({ length: AT_ONCE }, mineForEver));

async function mineForEver(): Promise<never> {
  for (;;) {
    // Every life draws payouts of its own, so that no two lives make the same body.
    const payout = `00${Buffer.from(crypto.getRandomValues(new Uint8Array(48))).toString('hex')}`;
    const { bytes } = chain.mine([], { payout });
    const header = bytes.header.slice();
    while (!meetsTarget(hash(header), targetOf(header))) header[288] = (header[288] as number) + 1;
    const admission = await pool.submit(header, bytes.body);
    if (admission.type !== 'accepted') throw new Error(JSON.stringify(admission));
    writeSync(1, `accepted ${admission.id}\n`);
  }
}
