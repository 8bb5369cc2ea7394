import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signatureContext } from 'svc-consensus/machine';
import { ValidatorKey } from 'svc-consensus/shell';
import { init } from 'svc-wasm';
import { contextBytes } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import { LoneKey } from './committee.ts';

const KINDS = ['proposal', 'prevote', 'precommit'] as const;

test('a validator that decides alone signs what others check, and everything once it has company', async () => {
  await init();
  const key = ValidatorKey.fromSeed(new Uint8Array(32).fill(7));
  let isAlone = true;
  const lone = new LoneKey(key, () => isAlone);
  const message = new Uint8Array(48).fill(1);
  const signed = () =>
    KINDS.filter((kind) => {
      const context = contextBytes(signatureContext(kind));
      return mlDsa65.verify(lone.publicKey, message, lone.sign(message, kind), { context });
    });
  assert.deepEqual(signed(), ['precommit']);
  isAlone = false;
  assert.deepEqual(signed(), KINDS);
  assert.equal(lone.keyHash, key.keyHash);
});
