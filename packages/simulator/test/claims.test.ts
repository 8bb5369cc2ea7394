/**
 * What a header claims of the cut before, where nobody can show it any more.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCheckers } from '../src/checkers/checkers.ts';
import { drawPlan, FAULT_NAMES, type Plan } from '../src/plan/plan.ts';
import { PROTOCOL, type Protocol } from '../src/world/protocol.ts';
import { World } from '../src/world/world.ts';

/** Three of the first four are a quorum, so the store forgets that the last one signed too. */
const STAKES = [10n, 9n, 9n, 9n, 1n];
const HEAVY = [0, 1, 2, 3] as const;

function calmPlan(): Plan {
  const without = new Set(FAULT_NAMES);
  return { ...drawPlan(1, { validatorsMin: 5, validatorsMax: 5, without }), stakes: [STAKES] };
}

/**
 * The header of height 2 names all five. One heavy validator never gets it; when the first of the others has locked its
 * cut, all processes end, and another one never comes back: the three heavy ones that do need each other.
 */
function powerCutOnLock(protocol: Protocol): World {
  let isCut = false;
  let without: number | undefined;
  const world = new World(calmPlan(), protocol, [
    ...createCheckers(),
    {
      onSigned(_world, { index }, { kind, height, value }) {
        if (isCut || kind !== 'precommit' || height !== 2 || value === null) return;
        isCut = true;
        const gone = HEAVY.find((other) => other !== index && other !== without);
        world.mishapLater(0, () => {
          for (const node of world.nodes) node.crash();
          for (const node of world.nodes) if (node.index === gone) node.isGone = true;
        });
      },
    },
  ]);
  world.passes = (from, to, message) => {
    if (message.kind === 'proposalWithCut' && message.proposal.height === 2) {
      without ??= (message.proposal.validatorIndex + 1) % HEAVY.length;
      return isCut || to.index !== without;
    }
    const isHeavy = (STAKES[from.index] ?? 0n) > 1n;
    // The precommit of the last one is everywhere by then.
    return message.kind !== 'precommit' || message.height !== 1 || !isHeavy || world.now > 4_000;
  };
  world.run();
  return world;
}

test('a cut that is locked claims a precommit that no store has kept, and is decided all the same', () => {
  const world = powerCutOnLock(PROTOCOL);
  assert.equal(world.failure, undefined);
  const { cut } = world.honest[0]?.disk.chain[1] ?? assert.fail('height 2 is decided');
  assert.equal(cut.previousSigners, 0b11111n);
});

test('control: it is never decided where the polka for it does not count as proof', () => {
  const { failure } = powerCutOnLock({ ...PROTOCOL, isClaimProven: () => false });
  assert.equal(failure?.checker, 'liveness');
});
