import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { addressFromPublicKey, burnAddress, init, type Network } from 'svc-wasm';
import { readSecret } from './secret-file.ts';
import { addWatched, createWatchFile, parseWatchFile, type Watched } from './watch-file.ts';

const PUBLIC_KEY_BYTES = 1952;

await init();

function addressOf(byte: number, network: Network = 'development'): string {
  return addressFromPublicKey(new Uint8Array(PUBLIC_KEY_BYTES).fill(byte), network);
}

/** Single addresses, or those of a list. */
function watched(addresses: readonly string[], list: Watched['list'] = null): Watched {
  return { addresses: addresses.map((address) => ({ address, label: null })), list };
}

test('a list of addresses is read as it was written, and grows without a new id', (t) => {
  const path = join(temporaryDirectory(t), 'cold');
  const read = () => parseWatchFile(path, readSecret(path));
  const made = createWatchFile(path, 'development', watched([addressOf(1), addressOf(2)]));
  assert.deepEqual(read(), made);
  const grown = addWatched(path, made, watched([addressOf(2), addressOf(3)]));
  assert.deepEqual(read(), grown);
  assert.deepEqual(grown, {
    ...made,
    addresses: [addressOf(1), addressOf(2), addressOf(3)],
    labels: [null, null, null],
  });
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
    assert.throws(() => createWatchFile(path, 'development', watched(list)), message);
  }
  const damaged = new TextEncoder().encode('{"svc_watch_wallet":"1","network":"development"}');
  assert.throws(() => parseWatchFile(path, damaged), { name: 'FileRefusal', fault: 'damaged' });
});

test('lists of one signer follow each other; those of another, and gaps, are refused', (t) => {
  const path = join(temporaryDirectory(t), 'cold');
  const [signer, other] = [addressOf(1), addressOf(9)];
  const first = watched([addressOf(1), addressOf(2)], { signer, first: 0 });
  const made = createWatchFile(path, 'development', first);
  assert.deepEqual([made.signer, made.listed], [signer, 2]);
  const add = (addresses: readonly string[], list: Watched['list']) =>
    addWatched(path, made, watched(addresses, list));
  assert.throws(() => add([addressOf(3)], { signer: other, first: 2 }), /signed by/);
  assert.throws(
    () => add([addressOf(4)], { signer, first: 3 }),
    /begins at 3, and the wallet has 2/,
  );
  const next = add([addressOf(2), addressOf(3)], { signer, first: 1 });
  assert.deepEqual([next.addresses.length, next.listed], [3, 3]);
  assert.deepEqual(parseWatchFile(path, readSecret(path)), next);
});
