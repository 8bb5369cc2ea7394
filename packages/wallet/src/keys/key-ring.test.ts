import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init, SvcError, WalletRoot } from 'svc-wasm';
import { CONTEXTS, contextBytes } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
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
