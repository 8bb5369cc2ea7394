/** Bytes that somebody hands in as a dump, and networks that are too large for one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import type { DevContext } from './dev-config.ts';
import { openDevChain } from './dev-genesis.ts';
import { startDevNetwork } from './dev-network.ts';
import { decodeDump, encodeDump } from './dump.ts';

await init();

const FORMAT = 'svc-devnet-1';
const { genesis } = openDevChain(temporaryDirectory(), {
  validators: 1,
  paceMillis: 1_000,
  nowMillis: 1_800_000_000_000,
});

function dumpWithHead(head: unknown): Uint8Array {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return gzipSync(Buffer.concat([length, text]));
}

test('a dump gives back what it was made of', () => {
  const parts = new Map([['disk', [[new Uint8Array([1]), new Uint8Array([2, 3])] as const]]]);
  assert.deepEqual(decodeDump(encodeDump({ genesis, nowMillis: 7, parts })), {
    ...{ genesis, nowMillis: 7, parts },
  });
});

test('a head of other types than a dump has is refused with words', () => {
  const whole = { format: FORMAT, now_millis: 7, genesis: '{}', parts: [] };
  const heads: unknown[] = [
    null,
    [],
    { ...whole, format: 'svc-devnet-0' },
    { ...whole, parts: undefined },
    { ...whole, parts: 7 },
    { ...whole, parts: ['disk'] },
    { ...whole, parts: [['disk', -1]] },
    { ...whole, parts: [['disk', '1']] },
    { ...whole, now_millis: '7' },
    { ...whole, now_millis: -1 },
    { ...whole, genesis: undefined },
    { ...whole, genesis: {} },
    whole,
  ];
  for (const head of heads)
    assert.throws(() => decodeDump(dumpWithHead(head)), RangeError, JSON.stringify(head));
});

test('a dump is not loaded into a network on the disk', async () => {
  const options = { cutTime: 'manual', validators: 1, port: 0, stateDir: null } as const;
  const starting = startDevNetwork(
    { ...options, wallet: false, miner: false, browserOrigins: [], load: new Uint8Array(8) },
    {} as DevContext,
  );
  await assert.rejects(starting, { name: 'RangeError', message: /in memory alone/ });
});

test('a network that no dump can hold is refused before its bytes are copied', () => {
  const large = new Uint8Array(64 * 2 ** 20);
  const entries = Array.from({ length: 33 }, (_, at) => [new Uint8Array([at]), large] as const);
  const dump = { genesis, nowMillis: 7, parts: new Map([['disk', entries]]) };
  assert.throws(
    () => encodeDump(dump),
    /the network has 22\d+ bytes; a dump has at most 2147483648/,
  );
});
