/** Bytes that somebody hands in as a dump, and networks that are too large for one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serialize } from 'node:v8';
import { gzipSync } from 'node:zlib';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import type { DevContext } from './dev-config.ts';
import { openDevChain } from './dev-genesis.ts';
import { startDevNetwork } from './dev-network.ts';
import { MemoryDisks } from './memory-disks.ts';
import { decodeDump, encodeDump } from './snapshots.ts';

await init();

const FORMAT = 'svc-devnet-1';
const { genesis } = openDevChain(temporaryDirectory(), {
  validators: 1,
  paceMillis: 1_000,
  nowMillis: 1_800_000_000_000,
});

test('a dump gives back what it was made of', () => {
  const bytes = new Uint8Array([2, 3]);
  const heartbeat = { epoch: 1, transactionId: '00', wire: bytes };
  const parts = {
    stores: new Map([['chain', [[new Uint8Array([1]), bytes] as const]]]),
    sets: new Map([[1, bytes]]),
    validators: new Map([['0', { logs: new Map([['log', bytes]]), signed: bytes, heartbeat }]]),
  };
  assert.deepEqual(decodeDump(encodeDump({ genesis, nowMillis: 7, parts })), {
    ...{ genesis, nowMillis: 7, parts },
  });
});

test('bytes that are no dump of this release are refused with words', () => {
  const whole = encodeDump({ genesis, nowMillis: 7, parts: new MemoryDisks().parts() });
  const flipped = whole.slice();
  flipped[whole.length >> 1] = (whole[whole.length >> 1] as number) ^ 1;
  const ofAnother = { format: 'svc-devnet-0', nowMillis: 7, genesis: '{}', parts: new Map() };
  const refused: readonly (readonly [Uint8Array, RegExp])[] = [
    [new Uint8Array(0), /no dump/],
    [Buffer.from('{}'), /no dump/],
    [gzipSync(Buffer.from('{}')), /no dump/],
    [gzipSync(serialize(null)), /no dump/],
    [gzipSync(serialize({ ...ofAnother, format: FORMAT })), /no dump/],
    [gzipSync(serialize(ofAnother)), /expected a dump of the format/],
    [whole.subarray(0, -1), /no dump/],
    [flipped, /no dump/],
  ];
  for (const [bytes, message] of refused)
    assert.throws(() => decodeDump(bytes), { name: 'RangeError', message });
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
  const stores = new Map([['chain', entries]]);
  const dump = { genesis, nowMillis: 7, parts: { ...new MemoryDisks().parts(), stores } };
  assert.throws(
    () => encodeDump(dump),
    /the network has 22\d+ bytes; a dump has at most 2147483648/,
  );
});
