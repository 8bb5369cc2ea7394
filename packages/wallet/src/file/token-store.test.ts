import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import type { FileRefusal } from '../errors.ts';
import { digestOf, newToken } from './token.ts';
import { isTokenName, TOKENS_MAX, type TokenRecord, TokenStore } from './token-store.ts';

const LIMITS = { budget: 'a', paymentMax: 5n, dayMax: null, allowlist: ['dsvc1x'] };

function recordOf(name: string, limits: TokenRecord['limits'] = null): TokenRecord {
  const scopes = limits === null ? (['read', 'deposit'] as const) : (['spend'] as const);
  return { name, scopes, digest: digestOf(newToken()), createdAtMillis: 7, limits };
}

function refuse(error: FileRefusal): never {
  throw error;
}

test('a token is there at once for every reader, and gone at once when it is revoked', (t) => {
  const directory = join(temporaryDirectory(t), 'wallet.tokens');
  const store = new TokenStore(directory);
  const daemon = new TokenStore(directory);
  assert.deepEqual(daemon.list(refuse), []);
  const [a, b] = [recordOf('a', LIMITS), recordOf('b')];
  store.create(a);
  store.create(b);
  const first = daemon.list(refuse);
  assert.deepEqual(first, [a, b]);
  assert.equal(daemon.list(refuse)[0], first[0], 'a valid token stays the same object');
  store.revoke('a');
  assert.deepEqual(daemon.list(refuse), [b]);
  assert.throws(() => store.revoke('a'), { fault: 'missing' });
  assert.throws(() => store.create(recordOf('a')), { fault: 'exists' }, 'names stay used');
  assert.throws(() => store.create(recordOf('b')), { fault: 'exists' });
  assert.deepEqual(readdirSync(directory).toSorted(), ['b.json', 'revoked']);
});

test('a directory that has not changed for long is not listed again until it changes', (t) => {
  const directory = join(temporaryDirectory(t), 'wallet.tokens');
  const store = new TokenStore(directory);
  const daemon = new TokenStore(directory);
  const [a, b] = [recordOf('a', LIMITS), recordOf('b')];
  store.create(a);
  const { ctimeNs } = statSync(directory, { bigint: true });
  // The next change bears another time than this one.
  const other = join(directory, '..', 'other');
  do writeFileSync(other, 'x');
  while (statSync(other, { bigint: true }).ctimeNs <= ctimeNs);
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 });
  const listed = daemon.list(refuse);
  assert.deepEqual(listed, [a]);
  assert.equal(daemon.list(refuse), listed);
  store.create(b);
  assert.deepEqual(daemon.list(refuse), [a, b]);
});

test('the files hold no token and are for their owner alone', (t) => {
  const directory = join(temporaryDirectory(t), 'wallet.tokens');
  const store = new TokenStore(directory);
  const token = newToken();
  store.create({ ...recordOf('a'), digest: digestOf(token) });
  assert.ok(!readFileSync(join(directory, 'a.json'), 'utf8').includes(token));
  chmodSync(join(directory, 'a.json'), 0o644);
  assert.throws(() => new TokenStore(directory).list(refuse), { fault: 'readable_by_others' });
});

test('no flipped bit changes what a token allows', (t) => {
  const directory = join(temporaryDirectory(t), 'wallet.tokens');
  const store = new TokenStore(directory);
  store.create(recordOf('a'));
  const path = join(directory, 'a.json');
  const bytes = readFileSync(path);
  const whole = store.list(refuse);
  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
    writeFileSync(path, flipped);
    const damaged: string[] = [];
    const found = new TokenStore(directory).list(({ fault }) => damaged.push(fault));
    if (found.length > 0) assert.deepEqual(found, whole, `bit ${bit}`);
    else assert.deepEqual(damaged, ['damaged'], `bit ${bit}`);
  }
});

test('a file that does not hold a token of its name allows nothing, and the others stay', (t) => {
  const directory = join(temporaryDirectory(t), 'wallet.tokens');
  const store = new TokenStore(directory);
  for (const name of ['a', 'b', 'c', 'd']) store.create(recordOf(name));
  const text = readFileSync(join(directory, 'a.json'), 'utf8');
  writeFileSync(join(directory, 'b.json'), text);
  writeFileSync(join(directory, 'c.json'), text.slice(0, -9));
  writeFileSync(
    join(directory, 'd.json'),
    text.replace('"a"', '"d"').replace(/"digest":"../, '"digest":"'),
  );
  const damaged: string[] = [];
  const found = new TokenStore(directory).list(({ fault, path }) => {
    damaged.push(`${fault} ${path.slice(-6)}`);
  });
  assert.deepEqual(
    found.map(({ name }) => name),
    ['a'],
  );
  assert.deepEqual(damaged, ['damaged b.json', 'damaged c.json', 'damaged d.json']);
});

test('names and the number of tokens have limits', (t) => {
  const store = new TokenStore(join(temporaryDirectory(t), 'wallet.tokens'));
  for (const name of ['main', 'read', 'automatic', 'command-line', '', '.a', 'A', 'a/b', 'a b']) {
    assert.equal(isTokenName(name), false, name);
  }
  for (let at = 0; at < TOKENS_MAX; at++) store.create(recordOf(`t${at}`));
  assert.throws(() => store.create(recordOf('more')), { fault: 'too_large' });
  store.revoke('t0');
  store.create(recordOf('more'));
});
