import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { WalletError } from '../errors.ts';
import { Turns } from './payment-queue.ts';

test('operations take turns in the order they came, and a failed one lets the next go on', async () => {
  const turns = new Turns(SYSTEM_CLOCK);
  const told: string[] = [];
  const work = (name: string, fails: boolean) =>
    turns.waitAndDo(async () => {
      told.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      told.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const all = await Promise.allSettled([work('a', false), work('b', true), work('c', false)]);
  assert.deepEqual(
    all.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(told, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

test('who would wait too long is told that the wallet is busy, and takes no turn', async () => {
  const turns = new Turns({ ...SYSTEM_CLOCK, after: (_, call) => SYSTEM_CLOCK.after(0, call) });
  let release: () => void = () => {};
  const first = turns.waitAndDo(() => new Promise<void>((resolve) => (release = resolve)));
  let hasRun = false;
  await assert.rejects(
    turns.waitAndDo(async () => {
      hasRun = true;
    }),
    (error) => error instanceof WalletError && error.code === -32003,
  );
  release();
  await first;
  assert.equal(await new Turns(SYSTEM_CLOCK).waitAndDo(async () => 7), 7);
  assert.equal(hasRun, false);
});
