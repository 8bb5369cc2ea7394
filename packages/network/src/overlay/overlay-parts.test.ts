import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock, temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { SvcError, toHex } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import { keyHash } from 'svc-wasm/protocol';
import { bytesFrom } from '../../test/testing/script.ts';
import {
  decodeOverlayEndpoint,
  encodeOverlayEndpoint,
  openOverlayEndpoint,
  type Route,
} from './endpoint.ts';
import { findRoute } from './find-route.ts';
import {
  type OverlayRecord,
  openRecord,
  peekRecord,
  RECORD_BYTES_MAX,
  RecordBook,
  signRecord,
} from './record.ts';

await init();

const KEY_HASH = toHex(bytesFrom('key', 48));
const route = (host: string, port = 28_704): Route => ({ host, port, tcp: true, quic: true });

test('[OPS-02] [LIMIT-14] an endpoint has the key and at most four routes, and one form', async (t) => {
  const directory = join(temporaryDirectory(t), 'network', 'validator-overlay');
  const routes = [
    { host: '203.0.113.5', port: 28_704 },
    { host: 'validator.example.org', port: 7 },
    { host: '2606:4700::1', port: 28_709 },
    { host: '203.0.113.5', port: 1 },
  ];
  const endpoint = await openOverlayEndpoint(directory, routes);
  assert.equal((await stat(join(directory, 'overlay.key'))).mode & 0o777, 0o600);
  assert.deepEqual(await openOverlayEndpoint(directory, routes), endpoint);
  const stored = await readFile(join(directory, 'overlay.key'));
  for (let at = 0; at < stored.length; at++) {
    await writeFile(join(directory, 'overlay.key'), stored.with(at, (stored[at] as number) ^ 4));
    await assert.rejects(openOverlayEndpoint(directory, routes), /overlay.key is not what was/);
  }
  await writeFile(join(directory, 'overlay.key'), stored.subarray(0, 32));
  assert.deepEqual(await openOverlayEndpoint(directory, routes), endpoint, 'of an earlier release');
  const decoded = decodeOverlayEndpoint(endpoint);
  assert.deepEqual(
    decoded.routes,
    routes.map(({ host, port }) => route(host, port)),
  );
  assert.deepEqual(encodeOverlayEndpoint(decoded), endpoint);
  assert.ok(endpoint.length <= 1_024);
  const five = [...routes, { host: 'a', port: 1 }];
  await assert.rejects(openOverlayEndpoint(directory, five), /at most 4 routes/);
  for (let length = 0; length < endpoint.length; length++)
    assert.throws(() => decodeOverlayEndpoint(endpoint.subarray(0, length)), SvcError);
});

test('the longest endpoint fits what the chain takes', () => {
  const name = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(16)}`;
  const routes = [1, 2, 3, 4].map((port) => route(name.slice(0, 199), port));
  assert.ok(encodeOverlayEndpoint({ keyHash: KEY_HASH, routes }).length <= 1_024);
});

const WRONG: readonly [string, readonly Route[]][] = [
  ['a name with capitals', [route('Example.org')]],
  ['a name with an underscore', [route('a_b')]],
  ['an empty name', [route('')]],
  ['a name that is too long', [route(`${`${'a'.repeat(50)}.`.repeat(4)}a`)]],
  ['port 0', [route('a', 0)]],
  ['no transport', [{ host: 'a', port: 1, tcp: false, quic: false }]],
  ['a route twice', [route('a'), route('a')]],
];
for (const [name, routes] of WRONG)
  test(`an endpoint with ${name} is refused`, () => {
    assert.throws(() => encodeOverlayEndpoint({ keyHash: KEY_HASH, routes }), SvcError);
  });

test('routes into private networks are not dialled, whatever name stands for them', async () => {
  const names: Record<string, string[]> = {
    'inside.example': ['10.0.0.1', '127.0.0.1', '169.254.169.254', 'fe80::1', '::ffff:192.168.0.1'],
    'mixed.example': ['192.168.1.1', '203.0.112.5'],
  };
  const rules = {
    allowPrivateAddresses: false,
    ownAddresses: [{ host: '198.51.99.1', port: 28_704 }],
    resolve: async (name: string) => names[name] ?? [],
  };
  for (const host of ['127.0.0.1', '10.1.1.1', '224.0.0.1', '::1', '100.64.0.1', 'inside.example'])
    assert.deepEqual(await findRoute(route(host), rules), [], host);
  assert.deepEqual(await findRoute(route('mixed.example'), rules), [
    { host: '203.0.112.5', port: 28_704 },
  ]);
  assert.deepEqual(await findRoute(route('198.51.99.1'), rules), []);
  assert.equal((await findRoute(route('198.51.99.1', 80), rules)).length, 1);
  assert.deepEqual(await findRoute({ ...route('8.8.8.8'), tcp: false }, rules), []);
  const development = { ...rules, allowPrivateAddresses: true };
  assert.equal((await findRoute(route('127.0.0.1'), development)).length, 1);
});

test('records are signed, replaced by a greater sequence alone, and end', () => {
  const clock = new ManualClock();
  const now = clock.now();
  const chainId = bytesFrom('chain', 48);
  const key = mlDsa65.keygen(bytesFrom('overlay key', 32));
  const validatorId = toHex(bytesFrom('validator', 48));
  const relays = [toHex(bytesFrom('r1', 48)), toHex(bytesFrom('r2', 48))];
  const record = { validatorId, sequence: 5, expiryMillis: now + 60_000, routes: [], relays };
  const signed = signRecord(record, chainId, key);
  const keyHashOf = (): string => toHex(keyHash(key.publicKey));
  assert.ok(signed.bytes.length <= RECORD_BYTES_MAX);
  assert.deepEqual(openRecord(signed.bytes, chainId, keyHashOf)?.record, record);
  assert.deepEqual(peekRecord(signed.bytes), record);
  assert.equal(openRecord(signed.bytes, bytesFrom('other', 48), keyHashOf), undefined);
  assert.equal(
    openRecord(signed.bytes, chainId, () => KEY_HASH),
    undefined,
  );
  const changed = signed.bytes.slice();
  const at = changed.length - 60;
  changed[at] = (changed[at] as number) ^ 1;
  assert.equal(openRecord(changed, chainId, keyHashOf), undefined);
  const book = new RecordBook(clock);
  assert.ok(book.isNew(record));
  book.put(signed);
  assert.equal(book.isNew(record), false);
  assert.equal(book.isNew({ ...record, sequence: 4 }), false);
  assert.ok(book.isNew({ ...record, sequence: 6 }));
  const other = { ...record, validatorId: KEY_HASH };
  assert.ok(book.isNew({ ...other, expiryMillis: now + 86_400_000 }));
  assert.equal(book.isNew({ ...other, expiryMillis: now + 86_400_001 }), false);
  clock.advance(60_000);
  assert.equal(book.get(validatorId), undefined);
  assert.deepEqual(book.list(), []);
  assert.equal(book.isNew({ ...record, sequence: 7 }), false);
});

test('a wall clock that is set, ahead or back, loses no record, and brings no old one back', () => {
  const HOUR = 3_600_000;
  const MINUTE = 60_000;
  const validatorId = KEY_HASH;
  const begin = new ManualClock().now();
  const made = (sequence: number): OverlayRecord => {
    return { validatorId, sequence, expiryMillis: sequence + HOUR, routes: [], relays: [] };
  };
  const bytes = new Uint8Array(0);
  for (const jump of [HOUR, 30 * HOUR, -HOUR, -30 * HOUR]) {
    const clock = new ManualClock(begin);
    const book = new RecordBook(clock);
    book.put({ record: made(begin), bytes });
    clock.advance(MINUTE);
    clock.setWall(clock.now() + jump);
    assert.deepEqual(book.get(validatorId), made(begin), `after ${jump / HOUR} h`);
    assert.equal(book.list().length, 1);
    for (let renewal = 1; renewal <= 4; renewal++) {
      clock.advance(HOUR / 2);
      const renewed = made(begin + (renewal * HOUR) / 2);
      assert.ok(book.isNew(renewed), `renewal ${renewal} after ${jump / HOUR} h`);
      book.put({ record: renewed, bytes });
      assert.equal(book.isNew(made(begin + 1)), false, 'an earlier one');
    }
    clock.advance(HOUR - 1);
    assert.notEqual(book.get(validatorId), undefined);
    clock.advance(1);
    assert.equal(book.get(validatorId), undefined, 'its time is over');
  }
  const clock = new ManualClock(begin + 2 * HOUR);
  const book = new RecordBook(clock);
  assert.equal(book.isNew(made(begin)), false, 'a copy of an old record');
  const setBack = { ...made(begin + 9 * HOUR), expiryMillis: begin + 3 * HOUR };
  assert.ok(book.isNew(setBack));
  book.put({ record: setBack, bytes });
  book.put({ record: { ...setBack, sequence: setBack.sequence + 1 }, bytes });
  clock.advance(HOUR - 1);
  assert.notEqual(book.get(validatorId), undefined, 'its sequence is ahead of its time');
});
