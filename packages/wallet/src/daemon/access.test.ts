import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import { digestOf } from '../file/token.ts';
import { AccessControl, type Grant, guard } from './access.ts';

const TOKEN = 'ab'.repeat(32);
const digest = Buffer.from(digestOf(TOKEN), 'hex');
const OWN = { name: 'main', scopes: ['everything'], limits: null } as const;
const GRANT: Grant = { ...OWN, digest, isValid: () => true };

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test('wrong tokens that come at once are answered one after another, and a right one at once', async () => {
  const clock = new ManualClock(1_000);
  const access = new AccessControl(() => [GRANT], clock);
  let answered = 0;
  for (let guess = 0; guess < 8; guess++) {
    void access.check(`Bearer ${guess}`).then(() => answered++);
  }
  assert.equal(await access.check(`Bearer ${TOKEN}`), GRANT);
  const waits = [250, 500, 750, 1_000, 1_250, 1_500, 1_750, 2_000];
  for (const [at, wait] of waits.entries()) {
    await settled();
    clock.advance(wait - 1);
    await settled();
    assert.equal(answered, at, `not before ${wait} ms`);
    clock.advance(1);
    await settled();
    assert.equal(answered, at + 1);
  }
});

test('while too many guesses wait a further one is told so, and a right token is served on any connection', async () => {
  const access = new AccessControl(() => [GRANT], new ManualClock(1_000));
  for (let guess = 0; guess < 64; guess++) void access.check('Bearer no');
  assert.equal(await access.check('Bearer no'), 'busy');
  assert.equal(await access.check(undefined), 'busy');
  assert.equal(await access.check(`Bearer ${TOKEN}`), GRANT);
});

test('the names of its own certificate are hosts of the daemon, at its port alone', () => {
  const options = { port: 443, isRemote: true, hostNames: [] };
  const isRefused = (host: string, isCertified?: (name: string) => boolean): boolean =>
    guard({ headers: { host } }, { ...options, isCertified }) !== undefined;
  const isCertified = (name: string): boolean => name === 'wallet.example';
  assert.equal(isRefused('wallet.example', isCertified), false);
  assert.equal(isRefused('wallet.example:443', isCertified), false);
  assert.equal(isRefused('wallet.example:444', isCertified), true);
  assert.equal(isRefused('other.example', isCertified), true);
  assert.equal(isRefused('192.0.2.7:443', isCertified), false, 'an address, where it speaks TLS');
  assert.equal(isRefused('192.0.2.7:443'), true);
  assert.equal(isRefused('wallet.example:443'), true);
  assert.equal(isRefused('wallet.example'), true);
});
