import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init, sealWalletFile } from 'svc-wasm';
import { sealKeyFile } from 'svc-wasm/protocol';
import { type KeyFilePlace, openKeyFile } from './key-file.ts';

describe('key files', () => {
  const CHEAP = '{"memory_kib": "7168", "passes": "5", "lanes": "1"}';
  const SEED = new Uint8Array(32).fill(7);
  let place: KeyFilePlace;
  let directory: string;
  before(async () => {
    await init();
    directory = temporaryDirectory();
    place = {
      keyFile: join(directory, 'key'),
      keySetting: 'validator.consensus_key_file',
      passwordFile: join(directory, 'password'),
      passwordSetting: 'validator.password_file',
      kind: 'consensus',
      network: 'development',
    };
    writeFileSync(place.passwordFile, 'correct horse\n', { mode: 0o600 });
  });

  function put(bytes: Uint8Array): void {
    writeFileSync(place.keyFile, bytes);
    chmodSync(place.keyFile, 0o600);
  }

  function refusal(wanted: Partial<KeyFilePlace> = {}): RegExp | string {
    try {
      openKeyFile({ ...place, ...wanted });
    } catch (error) {
      return (error as Error).message;
    }
    return 'opened';
  }

  test('[AUTH-09] a sealed key opens with its password and nothing else', () => {
    put(sealKeyFile(SEED, place, 'correct horse', CHEAP));
    assert.deepEqual(openKeyFile(place), SEED);
    assert.match(
      String(refusal({ kind: 'heartbeat_fee' })),
      /validator\.consensus_key_file: kind: expected a key of kind heartbeat_fee, found consensus/,
    );
    assert.match(
      String(refusal({ network: 'mainnet' })),
      /expected a key of network mainnet, found development/,
    );
    put(sealKeyFile(SEED, place, 'another', CHEAP));
    assert.match(
      String(refusal()),
      /password is wrong or the file is damaged|wrong_password|wrong password/i,
    );
  });

  test('a sealed file that is no key is refused', () => {
    const good = {
      key_version: '1',
      kind: 'consensus',
      network: 'development',
      seed: '07'.repeat(32),
    };
    for (const change of [
      { key_version: '2' },
      { seed: '07' },
      { seed: 7 },
      { extra: 1 },
      { network: 'x' },
    ]) {
      put(sealWalletFile(JSON.stringify({ ...good, ...change }), 'correct horse', CHEAP));
      assert.notEqual(refusal(), 'opened', JSON.stringify(change));
    }
    put(sealWalletFile(JSON.stringify(good), 'correct horse', CHEAP));
    assert.equal(refusal(), 'opened');
    put(Buffer.from('not sealed'));
    assert.match(String(refusal()), new RegExp(place.keyFile));
  });

  test('[AUTH-09] key and password files that others may read are refused', () => {
    put(sealKeyFile(SEED, place, 'correct horse', CHEAP));
    chmodSync(place.keyFile, 0o640);
    assert.match(String(refusal()), /key: validator\.consensus_key_file: other users may read it/);
    chmodSync(place.keyFile, 0o600);
    chmodSync(place.passwordFile, 0o604);
    assert.match(String(refusal()), /password: validator\.password_file: other users may read it/);
    chmodSync(place.passwordFile, 0o600);
    assert.equal(refusal(), 'opened');
  });
});
