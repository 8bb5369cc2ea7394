import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { equalBytes } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';
import { init } from '../entry/node.ts';
import { COST_DEFAULT, fileCostFault, readCost } from './cost.ts';
import { installedPasswordHash, installPasswordHash } from './installed-hash.ts';
import { hashInTurns, hashPortably } from './password-hash.ts';
import {
  openWalletFile,
  openWalletFileAsync,
  openWith,
  sealWalletFile,
  sealWalletFileAsync,
  sealWith,
} from './wallet-file.ts';

await init();

const cheap = '{"memory_kib":"7168","passes":"5"}';
const contents = '{"words": "not real", "accounts": [0, 1]}';
const headerBytes = 75;

function refused(code: string, call: () => unknown): void {
  assert.throws(call, (error) => {
    assert.ok(error instanceof SvcError, String(error));
    assert.equal(error.code, code);
    return true;
  });
}

function withBytes(file: Uint8Array, at: number, ...bytes: number[]): Uint8Array {
  const changed = file.slice();
  changed.set(bytes, at);
  return changed;
}

test('[WASM-10] a wallet file sealed at the default cost opens with its password only', () => {
  const file = sealWalletFile(contents, 'correct horse');
  const view = new DataView(file.buffer);
  assert.deepEqual([view.getUint32(10, true), view.getUint32(14, true), file[18]], [65_536, 3, 1]);
  assert.equal(openWalletFile(file, 'correct horse'), contents);
  assert.equal(openWith(hashPortably, file, 'correct horse'), contents);
});

test('[WASM-10] a wrong password and every kind of damage are refused alike', () => {
  const file = sealWalletFile(contents, 'correct horse', cheap);
  refused('wrong_password', () => openWalletFile(file, 'correct horsf'));
  for (const at of [19, headerBytes - 1, headerBytes, file.length - 1]) {
    const changed = withBytes(file, at, (file[at] as number) ^ 1);
    refused('wrong_password', () => openWalletFile(changed, 'correct horse'));
  }
  refused('wrong_password', () => openWalletFile(file.slice(0, -1), 'correct horse'));
  refused('wrong_password', () => openWalletFile(withBytes(file, 14, 2), 'correct horse'));
});

test('the longest contents that are sealed open again, and longer ones are not sealed', () => {
  const longest = JSON.stringify('a'.repeat((1 << 20) - 2));
  assert.equal(longest.length, 1 << 20);
  assert.equal(openWalletFile(sealWalletFile(longest, 'word', cheap), 'word'), longest);
  const longer = JSON.stringify('\u00e9'.repeat(1 << 19));
  refused('bad_length', () => sealWalletFile(longer, 'word', cheap));
});

test('a password means the same however its accents are composed', () => {
  const file = sealWalletFile('{}', 'caf\u00e9', cheap);
  assert.equal(openWalletFile(file, 'cafe\u0301'), '{}');
});

test('the same contents sealed twice share neither salt, nonce nor sealed bytes', () => {
  const first = sealWalletFile(contents, 'p', cheap);
  const second = sealWalletFile(contents, 'p', cheap);
  assert.ok(equalBytes(first.subarray(0, 19), second.subarray(0, 19)));
  assert.ok(!equalBytes(first.subarray(19, 51), second.subarray(19, 51)));
  assert.ok(!equalBytes(first.subarray(51, 75), second.subarray(51, 75)));
  assert.ok(!equalBytes(first.subarray(75), second.subarray(75)));
});

test('a hostile file cannot ask for more memory or time than the bounds allow', () => {
  const file = sealWalletFile('{}', 'p', cheap);
  const table: Record<string, Uint8Array> = {
    '4 GiB': withBytes(file, 10, 255, 255, 255, 255),
    '512 MiB': withBytes(file, 10, 0, 0, 8, 0),
    'no memory': withBytes(file, 10, 0, 0, 0, 0),
    'no pass': withBytes(file, 14, 0),
    'many passes': withBytes(file, 14, 255, 255, 255, 255),
    'no lane': withBytes(file, 18, 0),
    'many lanes': withBytes(file, 18, 255),
    'both at their most': withBytes(file, 10, 0, 0, 4, 0, 16, 0, 0, 0),
  };
  const before = process.threadCpuUsage().user;
  for (const bad of Object.values(table)) refused('bad_file', () => openWalletFile(bad, 'p'));
  assert.ok(process.threadCpuUsage().user - before < 1_000_000, 'no more than a second of work');
});

test('bytes that are no wallet file are refused before any work', () => {
  const file = sealWalletFile('{}', 'p', cheap);
  for (let length = 0; length < headerBytes + 16; length++) {
    refused('bad_file', () => openWalletFile(file.slice(0, length), 'p'));
  }
  refused('bad_file', () => openWalletFile(withBytes(file, 0, 0), 'p'));
  refused('unsupported_version', () => openWalletFile(withBytes(file, 8, 2), 'p'));
  refused('unsupported_version', () => openWalletFile(withBytes(file, 9, 0), 'p'));
  refused('bad_file', () => openWalletFile(new Uint8Array(3_000_000), 'p'));
  refused('bad_type', () => openWalletFile('file' as unknown as Uint8Array, 'p'));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      assert.throws(() => openWalletFile(bytes, 'p'), SvcError);
    }),
  );
});

test('contents, password and cost are checked when sealing', () => {
  refused('bad_json', () => sealWalletFile('{', 'p', cheap));
  refused('bad_json', () => sealWalletFile('{"a":1,"a":2}', 'p', cheap));
  refused('bad_text', () => sealWalletFile('{}', '', cheap));
  refused('bad_text', () => sealWalletFile('{}', 'a'.repeat(1025), cheap));
  refused('bad_text', () => sealWalletFile('{}', '\ud800', cheap));
  refused('bad_type', () => sealWalletFile('{}', 7 as unknown as string, cheap));
  refused('out_of_range', () => sealWalletFile('{}', 'p', '{"memory_kib":"7167"}'));
  refused('out_of_range', () => sealWalletFile('{}', 'p', '{"memory_kib":"262145"}'));
  refused('out_of_range', () => sealWalletFile('{}', 'p', '{"memory_kib":"262144","passes":"5"}'));
  refused('out_of_range', () => sealWalletFile('{}', 'p', '{"lanes":"0"}'));
  refused('bad_type', () => sealWalletFile('{}', 'p', '{"passes":1}'));
  refused('unknown_field', () => sealWalletFile('{}', 'p', '{"fast":"1"}'));
});

test('memory that cannot be had is an error with a code', (t) => {
  const file = sealWalletFile(contents, 'correct horse', cheap);
  const Words = globalThis.Uint32Array;
  t.after(() => {
    globalThis.Uint32Array = Words;
  });
  globalThis.Uint32Array = new Proxy(Words, {
    construct(target, args) {
      if (args[0] > 1_000_000) throw new RangeError('Array buffer allocation failed');
      return Reflect.construct(target, args);
    },
  });
  refused('no_memory', () => openWith(hashPortably, file, 'correct horse'));
  refused('no_memory', () => sealWith(hashPortably, contents, 'correct horse', cheap));
});

test('memory that the engine cannot have is the same error', async (t) => {
  const before = installedPasswordHash();
  t.after(() => installPasswordHash(before));
  const fail = (): never => {
    const code = 'ERR_OSSL_CRYPTO_MALLOC_FAILURE';
    throw Object.assign(new Error('malloc failure'), { code });
  };
  installPasswordHash({ here: fail, meanwhile: async () => fail() });
  refused('no_memory', () => sealWalletFile(contents, 'correct horse', cheap));
  const meanwhile = sealWalletFileAsync(contents, 'correct horse', cheap);
  await assert.rejects(meanwhile, { name: 'SvcError', code: 'no_memory' });
});

test('nothing is sealed cheaper than OWASP asks for, and what was sealed so is opened', () => {
  const least = { 1: 47_104, 2: 19_456, 3: 12_288, 4: 9_216, 5: 7_168, 16: 7_168 };
  for (const [passes, kib] of Object.entries(least)) {
    const sealed = (memory: number) =>
      readCost(JSON.stringify({ memory_kib: String(memory), passes }));
    assert.equal(sealed(kib).memoryKib, kib);
    assert.throws(() => sealed(kib - 1), { code: 'out_of_range', path: 'options' });
  }
  const { memoryKib, passes } = COST_DEFAULT;
  assert.ok(memoryKib >= 47_104 && passes >= 3, 'the default is above every one of them');
  assert.equal(fileCostFault({ memoryKib: 8_192, passes: 1, lanes: 1 }), undefined);
});

test('[WASM-10] sealed and opened meanwhile: the same files, and other work gets its turn', async () => {
  for (const meanwhile of [hashInTurns, undefined]) {
    if (meanwhile === undefined) await init();
    else installPasswordHash({ meanwhile });
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    const file = await sealWalletFileAsync(contents, 'correct horse', cheap);
    clearInterval(ticking);
    assert.ok(turns > 0, 'the thread was given to others meanwhile');
    assert.equal(openWalletFile(file, 'correct horse'), contents);
    const other = sealWalletFile(contents, 'correct horse', cheap);
    assert.equal(await openWalletFileAsync(other, 'correct horse'), contents);
    await assert.rejects(openWalletFileAsync(other, 'wrong horse'), { code: 'wrong_password' });
    await assert.rejects(sealWalletFileAsync('{', 'p', cheap), { code: 'bad_json' });
    await assert.rejects(sealWalletFileAsync('{}', '', cheap), { code: 'bad_text' });
  }
});
