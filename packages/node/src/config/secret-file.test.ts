import assert from 'node:assert/strict';
import { chmodSync, chownSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { readPasswordFile, readSecretFile } from 'svc-base/node';
import { temporaryDirectory } from 'svc-base/testing';
import { parseConfig, Settings } from './layers.ts';
import { resolveConfig } from './resolve.ts';

describe('secret files', () => {
  let directory: string;
  before(() => {
    directory = temporaryDirectory();
  });

  function fileWith(text: string, mode = 0o600): string {
    const file = join(directory, "it's a secret");
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  }

  test('[VALCONF-07] files that others may read are refused, with the command that mends it', () => {
    for (const mode of [0o604, 0o640, 0o644, 0o610, 0o666, 0o620, 0o602]) {
      assert.throws(
        () => readSecretFile(fileWith('key', mode), 'validator.consensus_key_file'),
        (error: Error) =>
          error.message.includes(`mode ${mode.toString(8).padStart(4, '0')}, expected 0600`) &&
          error.message.includes("chmod 600 '") &&
          error.message.includes('validator.consensus_key_file'),
      );
    }
    for (const mode of [0o600, 0o400]) {
      assert.equal(Buffer.from(readSecretFile(fileWith('key', mode), 'x')).toString(), 'key');
    }
  });

  test('links and files of others are refused', (t) => {
    const link = join(directory, 'link');
    symlinkSync(fileWith('key'), link);
    assert.throws(() => readSecretFile(link, 'x'), /is a link/);
    if (process.geteuid?.() !== 0) return t.skip('only root can give a file away');
    const foreign = fileWith('key');
    chownSync(foreign, 65_534, 65_534);
    assert.throws(() => readSecretFile(foreign, 'x'), /belongs to another user/);
    rmSync(foreign);
  });

  test('[VALCONF-07] relative paths count from the directory the node was started in', () => {
    const text =
      '{"network": "development", "validator": {"consensus_key_file": "a/b", "password_file": "../c"}}';
    const surroundings = { directory: '/srv/start', home: '/nonexistent' };
    const { config } = resolveConfig(new Settings([parseConfig(text, 'x')]), surroundings);
    assert.ok(config.validator?.signer === null);
    assert.equal(config.validator.consensusKeyFile, '/srv/start/a/b');
    assert.equal(config.validator.passwordFile, '/srv/c');
  });

  test('a password is one line; the line break at its end is not part of it', () => {
    const read = (text: string) => readPasswordFile(fileWith(text), 'validator.password_file');
    assert.equal(read('a b \n'), 'a b ');
    assert.equal(read('a\r\n'), 'a');
    assert.equal(read('a'), 'a');
    assert.throws(() => read('a\n\n'), /expected one line/);
    assert.throws(() => read('a\nb'), /expected one line/);
    assert.throws(() => read('\n'), /is empty/);
    assert.throws(() => readPasswordFile(join(directory, 'no'), 'x'), /there is no such file/);
    assert.throws(() => readSecretFile(directory, 'x'), /expected a file|EISDIR|cannot be opened/);
  });
});
