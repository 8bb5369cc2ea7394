import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { test } from 'node:test';
import type { PasswordHash } from './installed-hash.ts';
import { openKeyFile, sealKeyFile } from './key-file.ts';
import { sealWalletFile } from './wallet-file.ts';

const CHEAP = '{"memory_kib":"7168","passes":"5"}';
const SEED = Uint8Array.from({ length: 32 }, (_, index) => index);
const CONSENSUS = { kind: 'consensus', network: 'testnet' } as const;

const NATIVE: PasswordHash = (message, nonce, { memoryKib: memory, passes, lanes: parallelism }) =>
  argon2Sync('argon2id', { message, nonce, memory, passes, parallelism, tagLength: 32 });

test('a key file gives its seed back to its password, kind and network, and to no other', () => {
  const file = sealKeyFile(SEED, CONSENSUS, 'a password', CHEAP);
  assert.deepEqual(openKeyFile(file, CONSENSUS, 'a password'), SEED);
  assert.throws(() => openKeyFile(file, CONSENSUS, 'another'), { code: 'wrong_password' });
  for (const other of [
    { ...CONSENSUS, network: 'mainnet' },
    { ...CONSENSUS, kind: 'heartbeat_fee' },
  ] as const)
    assert.throws(() => openKeyFile(file, other, 'a password'), { code: 'bad_file' });
});

test('what one implementation of Argon2id sealed the other opens', () => {
  const slow = sealKeyFile(SEED, CONSENSUS, 'a password', CHEAP);
  assert.deepEqual(openKeyFile(slow, CONSENSUS, 'a password', NATIVE), SEED);
  const fast = sealKeyFile(SEED, CONSENSUS, 'a password', CHEAP, NATIVE);
  assert.deepEqual(openKeyFile(fast, CONSENSUS, 'a password'), SEED);
});

test('a wallet file, a short seed and unknown fields are no key file', () => {
  const seal = (contents: string) => sealWalletFile(contents, 'a password', CHEAP);
  const document = { key_version: '1', kind: 'consensus', network: 'testnet', seed: '00' };
  const open = (file: Uint8Array) => openKeyFile(file, CONSENSUS, 'a password');
  assert.throws(() => open(seal('{}')), { code: 'missing_field' });
  assert.throws(() => open(seal(JSON.stringify(document))), { code: 'bad_hex', path: 'seed' });
  const newer = { ...document, key_version: '2' };
  assert.throws(() => open(seal(JSON.stringify(newer))), { path: 'key_version' });
  const more = { ...document, seed: '00'.repeat(32), more: '1' };
  assert.throws(() => open(seal(JSON.stringify(more))), { code: 'unknown_field' });
  assert.throws(() => sealKeyFile(SEED.slice(1), CONSENSUS, 'a password', CHEAP), {
    code: 'bad_length',
  });
});
