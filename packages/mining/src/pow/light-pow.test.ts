import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from 'svc-wasm';
import { concatBytes } from 'svc-wasm/base';
import { meetsTarget, POW_SIZES, pow, powInput, powSeed } from 'svc-wasm/kernel';
import { encodeBlockHeader } from 'svc-wasm/protocol';
import { LightPow, PowBusyError } from './light-pow.ts';
import { PowPeriods } from './pow-periods.ts';

await init();

const CHAIN_ID = new Uint8Array(48).fill(7);
const parameters = { network: 'development', interval: 576 } as const;
const PERIOD_CUTS = 30 * parameters.interval;
const periods = new PowPeriods({ chainId: CHAIN_ID, parameters });

function headerAt(anchorHeight: number, first: number, nonce = 0): Uint8Array {
  const id = new Uint8Array(48);
  return encodeBlockHeader(
    {
      anchorHeight: BigInt(anchorHeight),
      anchorCutId: id,
      parentsRoot: id,
      bodyRoot: id,
      payoutCommitment: id,
      extranonce: new Uint8Array(32),
      target: new Uint8Array(32).fill(0xff).fill(first, 0, 1),
      nonce: new Uint8Array(24).fill(nonce),
    },
    CHAIN_ID,
  );
}

test('a header is hashed behind its label and compared with its own target', async (t) => {
  const light = new LightPow(periods);
  t.after(() => light.close());
  const cache = pow.makeCache(powSeed(CHAIN_ID, 0n), POW_SIZES.development.cacheBytes);
  const verdicts = new Set<boolean>();
  for (let nonce = 0; nonce < 12; nonce++) {
    const header = headerAt(5, 127, nonce);
    const input = concatBytes(new TextEncoder().encode('SVC_POW_V1'), header);
    const { result } = pow.light(cache, POW_SIZES.development.datasetBytes, input);
    const verdict = await light.check(header);
    assert.deepEqual(verdict, { holds: meetsTarget(result, header.subarray(256, 288)), result });
    verdicts.add(verdict.holds);
  }
  assert.equal(verdicts.size, 2);
});

test('each period has a seed of its own, and the anchor says which', async (t) => {
  const light = new LightPow(periods);
  t.after(() => light.close());
  await light.prepare(PERIOD_CUTS - 1);
  for (const anchor of [PERIOD_CUTS - 1, PERIOD_CUTS, 2 * PERIOD_CUTS, 1]) {
    const period = BigInt(Math.floor(anchor / PERIOD_CUTS));
    const cache = pow.makeCache(powSeed(CHAIN_ID, period), POW_SIZES.development.cacheBytes);
    const header = headerAt(anchor, 255);
    const { result } = pow.light(cache, POW_SIZES.development.datasetBytes, powInput(header));
    assert.deepEqual(await light.check(header), { holds: true, result });
  }
});

test('more hashes than the queue holds are refused at once', async (t) => {
  const light = new LightPow(periods, 3);
  t.after(() => light.close());
  const checks = Array.from({ length: 5 }, (_, nonce) => light.check(headerAt(1, 255, nonce)));
  assert.equal(light.waiting, 3);
  const settled = await Promise.allSettled(checks);
  assert.equal(light.waiting, 0);
  const refused = settled.filter(({ status }) => status === 'rejected');
  assert.equal(refused.length, 2);
  for (const { reason } of refused as PromiseRejectedResult[])
    assert.ok(reason instanceof PowBusyError);
  assert.equal((await light.check(headerAt(1, 255))).holds, true);
});

test('a header of another length is refused, and a closed one hashes nothing', async () => {
  const light = new LightPow(periods);
  await assert.rejects(light.check(new Uint8Array(311)), { code: 'bad_length' });
  await light.close();
  await assert.rejects(light.check(headerAt(1, 255)), /closed/);
  await assert.rejects(light.search(headerAt(1, 255), 0n, 1), /closed/);
});

test('a search finds a nonce that the check accepts', async (t) => {
  const light = new LightPow(periods);
  t.after(() => light.close());
  const header = headerAt(9, 15);
  let start = 0n;
  for (;;) {
    const { done, nonce } = await light.search(header, start, 64);
    start += BigInt(done);
    if (nonce === null) continue;
    header.set(nonce, 288);
    break;
  }
  assert.equal((await light.check(header)).holds, true);
});
