import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { ManualClock, temporaryDirectory } from 'svc-base/testing';
import { encodeSignState, type Height, SILENT_FOR_GOOD } from 'svc-consensus/machine';
import { ValidatorKey } from 'svc-consensus/shell';
import { init } from 'svc-wasm';
import { sealKeyFile } from 'svc-wasm/protocol';
import type { ValidatorConfig } from '../config/node-config.ts';
import { RecordedLog } from '../testing/cluster-log.ts';
import { beginRecord } from '../validator/start-validator.ts';
import { isRetired, recordFolderOf } from '../validator/validator-disk.ts';
import type { OwnValidatorOptions } from './own-validator.ts';
import { AwaitedKey, keysInForce, signStateOfNext } from './rotation.ts';

const CHEAP = '{"memory_kib": "7168", "passes": "5", "lanes": "1"}';
const seedOf = (byte: number) => new Uint8Array(32).fill(byte);

describe('the keys of a rotation on disk', () => {
  let old: ValidatorKey;
  let next: ValidatorKey;
  before(async () => {
    await init();
    old = ValidatorKey.fromSeed(seedOf(1));
    next = ValidatorKey.fromSeed(seedOf(2));
  });

  function folderFor(t: { after(end: () => void): void }): string {
    const directory = temporaryDirectory();
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    return directory;
  }

  function writeNext(directory: string, mode = 0o600): void {
    const sealed = sealKeyFile(
      seedOf(2),
      { kind: 'consensus', network: 'development' },
      'secret',
      CHEAP,
    );
    writeFileSync(join(directory, 'key.next'), sealed, { mode });
    writeFileSync(join(directory, 'password.next'), 'secret\n', { mode: 0o600 });
  }

  const nextIn = (directory: string) => ({
    consensusKeyFile: join(directory, 'key.next'),
    passwordFile: join(directory, 'password.next'),
  });

  test('the first key has the folder own, each that follows one of its name, and both stay', (t) => {
    const parent = folderFor(t);
    assert.equal(recordFolderOf(parent, old), 'own');
    beginRecord(join(parent, 'own'), old);
    assert.equal(recordFolderOf(parent, old), 'own');
    const name = recordFolderOf(parent, next);
    assert.match(name, /^key-[0-9a-f]{16}$/);
    beginRecord(join(parent, name), next);
    assert.deepEqual([recordFolderOf(parent, old), recordFolderOf(parent, next)], ['own', name]);
  });

  test('a key whose record says so is retired, and no other', (t) => {
    const parent = folderFor(t);
    mkdirSync(join(parent, 'own'));
    const state = { keyId: old.id, stopped: false, last: undefined };
    const write = (silentThrough: Height) =>
      writeFileSync(
        join(parent, 'own', 'sign-state'),
        encodeSignState({ ...state, silentThrough }),
      );
    write(7 as Height);
    assert.equal(isRetired(parent, old), false);
    write(SILENT_FOR_GOOD);
    assert.deepEqual([isRetired(parent, old), isRetired(parent, next)], [true, false]);
  });

  test('a next key is silent beside a silent key, and not used beside one that is in use elsewhere', (t) => {
    const dataDir = folderFor(t);
    const own = join(dataDir, 'validator', 'own');
    mkdirSync(own, { recursive: true });
    const wish = { config: { dataDir }, core: { chain: { head: { height: 9 } } } };
    const choiceBeside = (silentThrough: number, stopped: boolean) => {
      const record = { keyId: old.id, last: undefined, stopped };
      const bytes = encodeSignState({ ...record, silentThrough: silentThrough as Height });
      writeFileSync(join(own, 'sign-state'), bytes);
      const options = { ...wish, newSignState: false } as unknown as OwnValidatorOptions;
      return signStateOfNext(options, { before: old, key: next }, 'unused');
    };
    assert.deepEqual([choiceBeside(9, false), choiceBeside(10, false)], ['unused', 'new']);
    assert.equal(choiceBeside(0, true), 'none');
    const name = recordFolderOf(join(dataDir, 'validator'), next);
    beginRecord(join(dataDir, 'validator', name), next);
    assert.equal(choiceBeside(10, false), 'unused', 'a record that has begun says what it says');
  });

  test('a replaced key gives way to the next one, or is refused with what to do', (t) => {
    const directory = folderFor(t);
    const validator: ValidatorConfig = {
      ...{ consensusKeyFile: 'key', passwordFile: 'password', signer: null, heartbeat: null },
      next: nextIn(directory),
    };
    const known = new Set<string>();
    const wish = {
      config: { dataDir: directory, network: 'development', validator },
      keys: { key: old, heartbeat: null },
      core: {
        chain: {
          view: {
            get: (_: string, id: string) => (known.has(id) ? {} : undefined),
            validatorIds: () => [],
          },
        },
      },
      log: new RecordedLog(),
    } as unknown as OwnValidatorOptions;
    assert.equal(keysInForce(wish).key, old, 'a key that the chain never knew is waited for');
    known.add(old.keyHash);
    assert.throws(() => keysInForce(wish), {
      name: 'ValidatorHistoryError',
      message: /name the new key in validator\.consensus_key_file/,
    });
    writeNext(directory);
    assert.equal(keysInForce(wish).key.keyHash, next.keyHash);
  });

  test('a key file may come while the node runs; one that others may read is told once and not used', async (t) => {
    const directory = folderFor(t);
    const clock = new ManualClock(0);
    const log = new RecordedLog();
    const { readNextKeyFile } = await import('../validator/key-files.ts');
    const files = nextIn(directory);
    const awaited = new AwaitedKey({
      files: Object.values(files),
      open: () => readNextKeyFile(files, 'development'),
      isKnown: ({ keyHash }) => keyHash === old.keyHash,
      clock,
      log,
    });
    t.after(() => awaited.close());
    const looks = (count: number) => {
      for (let look = 0; look < count; look++) clock.advance(2_000);
    };
    looks(3);
    writeNext(directory, 0o644);
    looks(5);
    assert.equal(log.entries.length, 1);
    assert.match(String(log.entries[0]?.fields['error']), /other users may read it/);
    rmSync(join(directory, 'key.next'));
    writeNext(directory);
    looks(1);
    assert.equal((await awaited.found).keyHash, next.keyHash);
  });
});
