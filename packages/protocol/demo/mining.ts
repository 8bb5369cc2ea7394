/** Fourth part: a work block of the development network, mined with the dataset, checked without. */
import { toHex } from 'svc-wasm/base';
import { meetsTarget, POW_SIZES, pow, powInput, powSeed } from 'svc-wasm/kernel';
import {
  type BlockHeader,
  decodeBlockBody,
  decodeWorkBlock,
  encodeBlockBody,
  encodeBlockHeader,
  encodeExtranonce,
  type Manifest,
} from 'svc-wasm/protocol';
import type { Screen } from './screen.ts';
import { short, timed } from './screen.ts';

const { cacheBytes, datasetBytes } = POW_SIZES.development;
const NONCE_BYTES = 24;
const FREE_BYTES = 8;
const STEP = 4096;
/** One hash in 65,536 is low enough. */
const TARGET = Uint8Array.from({ length: 32 }, (_, i) => (i < 2 ? 0 : 255));

function makeBlock(payout: Uint8Array, manifest: Manifest) {
  const free = crypto.getRandomValues(new Uint8Array(11));
  const extranonce = encodeExtranonce('demonstration', free);
  const parents = [new Uint8Array(48).fill(1)];
  const body = encodeBlockBody({ payout, extranonce, parents, transactions: [] });
  const { bodyRoot, parentsRoot, payoutCommitment } = decodeBlockBody(body, manifest);
  const header: BlockHeader = {
    anchorHeight: 1000n,
    anchorCutId: new Uint8Array(48).fill(2),
    parentsRoot,
    bodyRoot,
    payoutCommitment,
    extranonce,
    target: TARGET,
    nonce: new Uint8Array(NONCE_BYTES),
  };
  return { body, header };
}

function bar(part: number): string {
  const filled = Math.round(part * 30);
  return `${'█'.repeat(filled)}${'░'.repeat(30 - filled)} ${(100 * part).toFixed(0).padStart(3)} %`;
}

interface Found {
  readonly nonce: Uint8Array;
  readonly result: Uint8Array;
  readonly tries: number;
  readonly hashesPerSecond: number;
}

function mine(screen: Screen, dataset: pow.PowDataset, header: Uint8Array): Found {
  const start = performance.now();
  for (let tries = 0; ; ) {
    const { done, hit } = pow.search(dataset, header, {
      freeBytes: FREE_BYTES,
      start: BigInt(tries),
      count: STEP,
      shareTarget: TARGET,
      blockTarget: TARGET,
    });
    tries += done;
    const seconds = (performance.now() - start) / 1000;
    const hashesPerSecond = Math.round(tries / seconds);
    screen.progress(`${tries} tries, ${hashesPerSecond} hashes a second`);
    if (hit !== undefined) {
      screen.progress('');
      return { nonce: hit.nonce, result: hit.result, tries, hashesPerSecond };
    }
  }
}

export interface MiningFacts {
  readonly block_id: string;
  readonly tries: number;
  readonly hashes_per_second: number;
  readonly light_verification: boolean;
}

export function showMining(screen: Screen, payout: Uint8Array, manifest: Manifest): MiningFacts {
  screen.title('4  A work block');
  const caching = timed(() => pow.makeCache(powSeed(manifest.chainId, 0n), cacheBytes));
  const cache = caching.result;
  const filling = timed(() =>
    pow.makeDataset(cache, datasetBytes, {
      onProgress: (done, total) => screen.progress(`dataset ${bar(done / total)}`),
    }),
  );
  screen.progress('');
  screen.facts([
    ['cache', `${(cacheBytes / 1024).toFixed(0)} KiB in ${caching.time}`],
    ['dataset', `${(datasetBytes / 1024 / 1024).toFixed(0)} MiB in ${filling.time}`],
  ]);

  const { body, header } = makeBlock(payout, manifest);
  const found = mine(screen, filling.result, encodeBlockHeader(header, manifest.chainId));
  const bytes = encodeBlockHeader({ ...header, nonce: found.nonce }, manifest.chainId);
  const block = decodeWorkBlock(bytes, body, manifest);
  const checking = timed(() => pow.light(cache, datasetBytes, powInput(bytes)));
  const holds = meetsTarget(checking.result.result, block.header.target);
  if (!holds) throw new Error('the block does not hold in light mode');
  screen.facts([
    ['tries', `${found.tries}, at ${found.hashesPerSecond} hashes a second on one thread`],
    ['result', short(toHex(found.result), 20)],
    ['target', short(toHex(TARGET), 20)],
    ['block', toHex(block.header.id)],
  ]);
  screen.done(`checked in light mode, from the cache alone, in ${checking.time}`);
  return {
    block_id: toHex(block.header.id),
    tries: found.tries,
    hashes_per_second: found.hashesPerSecond,
    light_verification: holds,
  };
}
