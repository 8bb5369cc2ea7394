import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Log, SILENT_LOG } from 'svc-base/pure';
import { temporaryDirectory } from 'svc-base/testing';
import { digestOf, newToken } from '../file/token.ts';
import { TokenStore } from '../file/token-store.ts';
import { openGrants } from './access.ts';

test('tokens that cannot be listed allow nothing, and the token beside the wallet file everything', (t) => {
  const directory = join(temporaryDirectory(t), 'wallet.tokens');
  const store = new TokenStore(directory);
  const record = { name: 'a', scopes: ['read'] as const, limits: null, createdAtMillis: 1 };
  store.create({ ...record, digest: digestOf(newToken()) });
  const errors: string[] = [];
  const log: Log = { ...SILENT_LOG, error: (_, message) => errors.push(message) };
  const grants = openGrants({ full: newToken(), read: newToken() }, store, log);
  const names = (): string[] => grants().map(({ name }) => name);
  assert.deepEqual(names(), ['main', 'read', 'a']);
  const [, , before] = grants();
  renameSync(directory, `${directory}.away`);
  assert.deepEqual(names(), ['main', 'read']);
  writeFileSync(directory, '');
  for (let calls = 0; calls < 3; calls++) assert.deepEqual(names(), ['main', 'read']);
  assert.deepEqual(errors, ['tokens cannot be listed and allow nothing now']);
  assert.equal(grants().includes(before as never), false);
});

test('a token that was revoked is valid no more, those of files stay so', async (t) => {
  const store = new TokenStore(join(temporaryDirectory(t), 'wallet.tokens'));
  const record = { scopes: ['read'] as const, limits: null, createdAtMillis: 1 };
  for (const name of ['a', 'b']) store.create({ ...record, name, digest: digestOf(newToken()) });
  const grants = openGrants({ full: newToken(), read: newToken() }, store, SILENT_LOG);
  const before = grants();
  const areValid = (): boolean[] => before.map((grant) => grant.isValid());
  assert.deepEqual(areValid(), [true, true, true, true]);
  await Promise.resolve();
  store.revoke('a');
  assert.deepEqual(areValid(), [true, true, false, true]);
  assert.deepEqual([store.isRevoked('a'), store.isRevoked('b')], [true, false]);
});

test('a call and its payments look at the store once', async (t) => {
  const store = new TokenStore(join(temporaryDirectory(t), 'wallet.tokens'));
  const record = { name: 'a', scopes: ['read'] as const, limits: null, createdAtMillis: 1 };
  store.create({ ...record, digest: digestOf(newToken()) });
  const grants = openGrants({ full: newToken(), read: null }, store, SILENT_LOG);
  const [main, made] = grants();
  const looks = t.mock.method(store, 'list');
  for (let times = 0; times < 8; times++) assert.ok(main?.isValid() && made?.isValid());
  assert.equal(looks.mock.callCount(), 1);
  await Promise.resolve();
  made?.isValid();
  assert.equal(looks.mock.callCount(), 2);
});
