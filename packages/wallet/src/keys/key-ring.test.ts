import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressFromPublicKey, init, SvcError, WalletRoot } from 'svc-wasm';
import { CONTEXTS, contextBytes } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import { keyAddressBytes } from 'svc-wasm/protocol';
import { KeyRing } from './key-ring.ts';

const WORDS = `${'zoo '.repeat(23)}vote`;
const MESSAGE = new Uint8Array(48).fill(7);

await init();

test('a ring has the keys of its root, also those that it has forgotten meanwhile', () => {
  using root = WalletRoot.fromMnemonic(WORDS, '', 'development');
  const ring = new KeyRing(root, 3);
  const first = root.derivePublicKey(0, 1, 0);
  assert.deepEqual(ring.derivePublicKey(0, 1, 0), first);
  ring.derivePublicKey(0, 1, 0).fill(0);
  for (let index = 1; index <= 4; index++) ring.derivePublicKey(0, 1, index);
  assert.deepEqual(ring.derivePublicKey(0, 1, 0), first, 'what callers do with a key changes none');
  assert.deepEqual(ring.derivePublicKey(0, 0, 5), root.derivePublicKey(0, 0, 5));
  ring.free();
});

test('keys of other accounts, branches and places are told apart', () => {
  using root = WalletRoot.fromMnemonic(WORDS, '', 'development');
  const ring = new KeyRing(root);
  const places: readonly (readonly [number, number, number])[] = [
    [0, 0, 0],
    [0, 0, 1],
    [0, 1, 0],
    [0, 1, 1],
    [0, 0, 2],
    [1, 0, 0],
    [1, 1, 0],
    [0, 0, 2 ** 30],
  ];
  const secretKey = new Uint8Array(4_032);
  for (const [at, place] of places.entries()) {
    assert.equal(ring.has(...place), false, String(place));
    ring.adopt(...place, { publicKey: Uint8Array.of(at), secretKey });
  }
  for (const [at, place] of places.entries())
    assert.deepEqual(ring.derivePublicKey(...place), Uint8Array.of(at), String(place));
  for (const index of [0.5, -1, 2 ** 32, Number.NaN]) assert.equal(ring.has(0, 0, index), false);
  ring.free();
});

test('an address is that of its key, and is not made again where it came with the key', () => {
  using root = WalletRoot.fromMnemonic(WORDS, '', 'development');
  const ring = new KeyRing(root);
  const [own, other] = [0, 1].map((index) => root.derivePublicKey(0, 1, index)) as [
    Uint8Array,
    Uint8Array,
  ];
  for (const network of ['development', 'mainnet'] as const)
    assert.equal(ring.addressAt(0, 1, 0, network), addressFromPublicKey(own, network));
  const keys = { publicKey: own, secretKey: new Uint8Array(4_032) };
  ring.adopt(0, 1, 7, { ...keys, address: keyAddressBytes(other) });
  const told = addressFromPublicKey(other, 'development');
  assert.equal(ring.addressAt(0, 1, 7, 'development'), told);
  ring.free();
});

test('a key that is kept signs what it is given, for the purpose that was named', () => {
  using root = WalletRoot.fromMnemonic(WORDS, '', 'development');
  const ring = new KeyRing(root);
  const publicKey = root.derivePublicKey(0, 0, 3);
  const signatures = {
    spend: ring.sign(0, 0, 3, MESSAGE, true),
    operation: ring.sign(0, 0, 3, MESSAGE, false),
    possession: ring.signPossession(0, 0, 3, MESSAGE),
  };
  for (const [made, signature] of Object.entries(signatures)) {
    for (const asked of ['spend', 'operation', 'possession'] as const) {
      const context = contextBytes(CONTEXTS[asked]);
      const holds = mlDsa65.verify(publicKey, MESSAGE, signature, { context });
      assert.equal(holds, made === asked, `${made} as ${asked}`);
    }
  }
  ring.free();
});

test('keys of change that spent are forgotten before keys that did not, whoever was used last', () => {
  using root = WalletRoot.fromMnemonic(WORDS, '', 'development');
  const ring = new KeyRing(root, 6);
  const kept = (branch: number): number[] =>
    Array.from({ length: 12 }, (_, index) => index).filter((index) => ring.has(0, branch, index));
  for (const index of [0, 1, 2]) ring.derivePublicKey(0, 1, index);
  ring.derivePublicKey(0, 0, 0);
  ring.sign(0, 1, 3, MESSAGE, true);
  ring.withSecretKey(0, 1, 4, () => {});
  assert.deepEqual([kept(0), kept(1)], [[0], [0, 1, 2, 3, 4]], 'what has room stays');
  ring.sign(0, 1, 5, MESSAGE, true);
  ring.sign(0, 1, 6, MESSAGE, true);
  assert.deepEqual([kept(0), kept(1)], [[0], [2, 3, 4, 5, 6]], 'a few that spent have their room');
  ring.derivePublicKey(0, 1, 3);
  ring.derivePublicKey(0, 1, 7);
  assert.deepEqual([kept(0), kept(1)], [[0], [2, 3, 5, 6, 7]], 'those used last stay of them');
  ring.free();
  assert.deepEqual([kept(0), kept(1)], [[], []]);
});

test('keys of receiving addresses, and of what is not spent, stay with the others', () => {
  using root = WalletRoot.fromMnemonic(WORDS, '', 'development');
  const ring = new KeyRing(root, 2);
  ring.sign(0, 0, 0, MESSAGE, true);
  ring.sign(0, 1, 1, MESSAGE, false);
  ring.sign(0, 0, 0, MESSAGE, true);
  ring.derivePublicKey(0, 0, 2);
  assert.ok(ring.has(0, 0, 0), 'used after the other');
  assert.ok(!ring.has(0, 1, 1));
  ring.free();
});

test('a ring of one key lends the one that it is asked for, and wipes those that it forgets', () => {
  using root = WalletRoot.fromMnemonic(WORDS, '', 'development');
  const ring = new KeyRing(root, 1);
  const lent: Uint8Array[] = [];
  for (const index of [0, 1, 2]) {
    ring.withSecretKey(0, 1, index, (secretKey) => {
      assert.ok(secretKey.some((byte) => byte !== 0));
      lent.push(secretKey);
    });
  }
  const isWiped = lent.map((secretKey) => secretKey.every((byte) => byte === 0));
  assert.deepEqual(isWiped, [true, true, false]);
  ring.free();
  assert.ok(lent[2]?.every((byte) => byte === 0));
});

test('a ring that is free keeps no key and has none without its root', () => {
  const root = WalletRoot.fromMnemonic(WORDS, '', 'development');
  const ring = new KeyRing(root);
  ring.sign(0, 0, 0, MESSAGE, true);
  ring.free();
  root.free();
  const isFreed = (error: unknown): boolean => error instanceof SvcError && error.code === 'freed';
  assert.throws(() => ring.sign(0, 0, 0, MESSAGE, true), isFreed);
  assert.throws(() => ring.derivePublicKey(0, 0, 0), isFreed);
});
