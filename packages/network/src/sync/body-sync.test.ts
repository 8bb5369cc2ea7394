import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import { BodySync } from './body-sync.ts';
import type { CutSlot, CutSlots } from './cut-slots.ts';
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

/** A window of cuts with one block each, whose bodies come as soon as they are asked for. */
function askingWindow(cuts: number, blockBytes: number) {
  const asked: { readonly kind: 'bodies' | 'blocks'; readonly count: number }[] = [];
  const window = Array.from({ length: cuts }, (_, place) => slotAt(place + 1, blockBytes));
  const source = {
    bodies: async (headers: readonly unknown[]) => void asked.push(told('bodies', headers)),
    blocks: async (ids: readonly string[]) => void asked.push(told('blocks', ids)),
  };
  const sources = {
    hasFree: true,
    pick: () => source,
    ask: (_: unknown, request: () => Promise<unknown>) => request(),
    delivered: () => {},
  };
  const slots = { forgetInstalled: () => {}, window: () => window };
  const sync = new BodySync({
    slots: slots as unknown as CutSlots,
    sources: sources as unknown as SyncPeers,
    clock: new ManualClock(),
    impatienceMillis: 3_000,
    onChange: () => {},
  });
  return { asked, sync, window };
}

function told<Kind extends 'bodies' | 'blocks'>(kind: Kind, { length }: readonly unknown[]) {
  return { kind, count: length };
}

function slotAt(height: number, registeredBytes: number): CutSlot {
  const header = { height, cutId: `cut ${height}`, fields: { registeredBytes } };
  return { header, body: undefined, missing: new Set(), blocks: new Map() } as unknown as CutSlot;
}

function receiveBody(slot: CutSlot): void {
  const id = `block ${slot.header.height}`;
  slot.body = { bytes: new Uint8Array(), blockIds: [id] };
  slot.missing.add(id);
}

test('bodies of cuts that are not needed soon are asked for when a request is full', () => {
  const { asked, sync, window } = askingWindow(200, 0);
  sync.turn();
  assert.deepEqual(asked, [told('bodies', window.slice(0, 64)), ...Array(2).fill(asked[0])]);
  window.push(...Array.from({ length: 55 }, (_, place) => slotAt(201 + place, 0)));
  sync.turn();
  assert.equal(asked.length, 3, '63 more are not a full request');
  window.push(slotAt(256, 0));
  sync.turn();
  assert.equal(asked.length, 4);
  for (const slot of window.splice(0, 192)) slot.body = { bytes: new Uint8Array(), blockIds: [] };
  window.push(slotAt(257, 0));
  sync.turn();
  assert.deepEqual(asked.at(-1), { kind: 'bodies', count: 1 }, 'what is needed soon is asked for');
  assert.equal(asked.length, 5);
});

test('small blocks are asked for many at a time, large ones by their bytes', () => {
  const blocksAsked = (blockBytes: number, from: number, cuts: number): number[] => {
    const { asked, sync, window } = askingWindow(200, blockBytes);
    sync.turn();
    for (const slot of window.slice(from, from + cuts)) receiveBody(slot);
    sync.turn();
    return asked.filter(({ kind }) => kind === 'blocks').map(({ count }) => count);
  };
  assert.deepEqual(blocksAsked(1_000, 0, 100), [64, 36]);
  assert.deepEqual(blocksAsked(65_536, 0, 40), [16, 16, 8]);
  assert.deepEqual(blocksAsked(1_000, 128, 70), [64], 'six wait for others');
});
