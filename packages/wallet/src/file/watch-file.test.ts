import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { addressFromPublicKey, burnAddress, init, type Network } from 'svc-wasm';
import { readSecret } from './secret-file.ts';
import { addWatched, createWatchFile, parseWatchFile } from './watch-file.ts';

const PUBLIC_KEY_BYTES = 1952;

await init();

function addressOf(byte: number, network: Network = 'development'): string {
  return addressFromPublicKey(new Uint8Array(PUBLIC_KEY_BYTES).fill(byte), network);
}

test('a list of addresses is read as it was written, and grows without a new id', (t) => {
  const path = join(temporaryDirectory(t), 'cold');
  const read = () => parseWatchFile(path, readSecret(path));
  const made = createWatchFile(path, 'development', [addressOf(1), addressOf(2)]);
  assert.deepEqual(read(), made);
  const grown = addWatched(path, made, [addressOf(2), addressOf(3)]);
  assert.deepEqual(read(), grown);
  assert.deepEqual(grown, { ...made, addresses: [addressOf(1), addressOf(2), addressOf(3)] });
  assert.equal(parseWatchFile(path, new TextEncoder().encode('{"else":1}')), undefined);
  chmodSync(path, 0o644);
  assert.throws(() => read(), /others/);
});

test('addresses that nobody can watch here are refused', (t) => {
  const path = join(temporaryDirectory(t), 'cold');
  const lists: readonly [readonly string[], RegExp][] = [
    [[], /1 to 10000 addresses/],
    [[addressOf(1), addressOf(1)], /twice/],
    [[addressOf(1).toUpperCase()], /capitals/],
    [[addressOf(1, 'testnet')], /one of testnet/],
    [[burnAddress('development')], /burn/],
    [[addressOf(1).slice(0, -1)], /./],
  ];
  for (const [list, message] of lists) {
    assert.throws(() => createWatchFile(path, 'development', list), message);
  }
  const damaged = new TextEncoder().encode('{"svc_watch_wallet":"1","network":"development"}');
  assert.throws(() => parseWatchFile(path, damaged), { name: 'FileRefusal', fault: 'damaged' });
});
