import assert from 'node:assert/strict';
import { chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init, serviceIdentityForPublicKey } from 'svc-wasm';
import { IdentityFileError, openIdentity } from './identity-file.ts';

test('the key is made once, for its owner alone, and read again', async (t) => {
  await init();
  const file = join(temporaryDirectory(t), 'identity.key');
  const mask = process.umask(0);
  const made = openIdentity(file);
  process.umask(mask);
  assert.equal(statSync(file).mode & 0o777, 0o600, 'whatever the umask');
  assert.equal(made.identity, serviceIdentityForPublicKey(made.publicKey));
  const contents = readFileSync(file);
  assert.equal(openIdentity(file).identity, made.identity);
  assert.deepEqual(readFileSync(file), contents);
  assert.notEqual(
    openIdentity(join(temporaryDirectory(t), 'identity.key')).identity,
    made.identity,
  );
});

test('no flipped bit makes another node of it, and a file of an earlier release is read', async (t) => {
  await init();
  const file = join(temporaryDirectory(t), 'identity.key');
  const made = openIdentity(file).identity;
  const bytes = readFileSync(file);
  let read = 0;
  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
    writeFileSync(file, flipped);
    try {
      assert.equal(openIdentity(file).identity, made, `bit ${bit}`);
      read++;
    } catch (error) {
      assert.ok(error instanceof IdentityFileError, `bit ${bit}: ${error}`);
    }
  }
  assert.ok(read < 8, 'only the end of the line means nothing');
  writeFileSync(file, `${bytes.toString('latin1').split(' ').slice(0, 2).join(' ')}\n`);
  assert.equal(openIdentity(file).identity, made);
});

test('a key that others may read, a link, a folder and another file are refused', async (t) => {
  await init();
  const path = temporaryDirectory(t);
  const file = join(path, 'identity.key');
  openIdentity(file);
  for (const mode of [0o640, 0o604, 0o620, 0o601, 0o777]) {
    chmodSync(file, mode);
    assert.throws(() => openIdentity(file), IdentityFileError, mode.toString(8));
  }
  chmodSync(file, 0o600);
  openIdentity(file);
  const link = join(path, 'link.key');
  symlinkSync(file, link);
  assert.throws(() => openIdentity(link), /symbolic link/);
  const dangling = join(path, 'dangling.key');
  symlinkSync(join(path, 'nowhere'), dangling);
  assert.throws(() => openIdentity(dangling), /symbolic link/);
  assert.throws(() => openIdentity(path));
  for (const contents of [
    '',
    'svc-node-identity-v1',
    `svc-node-identity-v2 ${'00'.repeat(32)}`,
    `svc-node-identity-v1 ${'00'.repeat(31)}`,
    `svc-node-identity-v1 ${'AB'.repeat(32)}`,
    'x'.repeat(1_000),
  ]) {
    const other = join(path, 'other.key');
    writeFileSync(other, contents, { mode: 0o600 });
    assert.throws(() => openIdentity(other), IdentityFileError, contents.slice(0, 40));
    rmSync(other);
  }
});
