import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { blockKey } from './identifiers.ts';
import { Overlay } from './overlay.ts';
import type { BlockRecord, PositionRecord } from './records.ts';
import { MemoryState } from './testing/memory-state.ts';

const id = (number: number): string => number.toString(16).padStart(96, '0');

function position(validator: number): PositionRecord {
  return {
    kind: 'delegation',
    validatorId: id(validator),
    ownerAddress: '',
    rewardAddress: '',
    bonded: 1n,
    unbonding: [],
    stood: [],
  };
}

function block(): BlockRecord {
  return { registeredHeight: 1, payoutAddress: '', fees: 0n };
}

const anyWrite = fc.record({ number: fc.nat(12), owner: fc.nat(2), remove: fc.boolean() });

function write(
  state: Overlay,
  { number, owner, remove }: { number: number; owner: number; remove: boolean },
): void {
  const positionId = id(3 * number + owner);
  const key = blockKey(owner, id(number));
  if (remove) {
    state.delete('positions', positionId);
    state.delete('blocks', key);
    return;
  }
  state.put('positions', positionId, position(owner));
  state.put('blocks', key, block());
}

test('what an overlay lists is what the state lists once the changes are applied', () => {
  fc.assert(
    fc.property(
      fc.array(anyWrite, { maxLength: 30 }),
      fc.array(anyWrite, { maxLength: 30 }),
      fc.nat(40),
      fc.integer({ min: 1, max: 6 }),
      (before, after, from, limit) => {
        const state = new MemoryState();
        const first = new Overlay(state);
        for (const entry of before) write(first, entry);
        state.apply(first.changes());
        const overlay = new Overlay(state);
        for (const entry of after) write(overlay, entry);
        const listed = [0, 1, 2].map((owner) => [
          overlay.positionIdsOf(id(owner), null, limit),
          overlay.positionIdsOf(id(owner), id(from), limit),
          overlay.blockIdsOf(owner),
        ]);
        state.apply(overlay.changes());
        const expected = [0, 1, 2].map((owner) => [
          state.positionIdsOf(id(owner), null, limit),
          state.positionIdsOf(id(owner), id(from), limit),
          state.blockIdsOf(owner),
        ]);
        assert.deepEqual(listed, expected);
      },
    ),
    { numRuns: 200 },
  );
});

test('an overlay leaves the view below as it is, and forgets what came and went', () => {
  const state = new MemoryState();
  const overlay = new Overlay(state);
  overlay.put('blocks', 'a', block());
  overlay.delete('blocks', 'a');
  overlay.put('blocks', 'b', block());
  assert.equal(state.get('blocks', 'b'), undefined);
  assert.deepEqual(
    overlay.changes().map(({ key, before }) => [key, before]),
    [['b', undefined]],
  );
});
