import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import { BodySync } from './body-sync.ts';
import type { CutSlots } from './cut-slots.ts';
import type { SyncPeers } from './sync-peers.ts';

test('while every peer is busy a turn forgets what is installed and walks through nothing', () => {
  const calls: string[] = [];
  const sources = { hasFree: false } as { hasFree: boolean } & SyncPeers;
  const slots = {
    forgetInstalled: () => calls.push('forget'),
    window: () => {
      calls.push('window');
      return [];
    },
  };
  const sync = new BodySync({
    slots: slots as unknown as CutSlots,
    sources,
    clock: new ManualClock(),
    impatienceMillis: 3_000,
    onChange: () => {},
  });
  sync.turn();
  assert.deepEqual(calls, ['forget']);
  Object.assign(sources, { hasFree: true });
  sync.turn();
  assert.deepEqual(calls, ['forget', 'forget', 'window']);
});
