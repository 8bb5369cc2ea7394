/**
 * Clocks that are apart and that nobody sets right: every height is decided, in the round in which the difference is allowed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCheckers } from '../src/checkers/checkers.ts';
import { drawPlan, FAULT_NAMES } from '../src/plan/plan.ts';
import { PROTOCOL, type Protocol } from '../src/world/protocol.ts';
import { World } from '../src/world/world.ts';
import { AHEAD_NOT_WIDENED } from './rare-mutants.ts';

const SEED = 1;
const HEIGHTS = 30;
const MILLIS_MAX = 600_000;

/** The highest round in which one of the heights was decided. */
function roundsOf(clocksMs: readonly number[], protocol: Protocol): number {
  const validators = clocksMs.length;
  const sizes = { validatorsMin: validators, validatorsMax: validators };
  const plan = {
    ...drawPlan(SEED, { ...sizes, without: new Set(FAULT_NAMES) }),
    stakes: [clocksMs.map(() => 1n)],
    delayMeanMs: 60,
    clockOffsetsMs: clocksMs,
    safetyMs: Number.MAX_SAFE_INTEGER,
  };
  const world = new World(plan, protocol, createCheckers());
  world.runUntil(HEIGHTS, MILLIS_MAX);
  assert.equal(world.failure, undefined);
  assert.ok(world.lowestHeight() >= HEIGHTS, `${world.lowestHeight()} heights`);
  const chain = world.honest[0]?.disk.chain ?? [];
  return Math.max(...chain.map(({ certificate }) => certificate.round));
}

const SLOW = [-4_000, -4_000, -4_000, -4_000];
const CLOCKS: readonly [string, readonly number[], round: number][] = [
  ['right', [0, 0, 0, 0], 0],
  ['from 4 s behind to 4 s ahead', [-4_000, -1_000, 1_000, 4_000], 3],
  ['5 s apart, four behind and six ahead', [...SLOW, ...new Array<number>(6).fill(1_000)], 5],
];
for (const [clocks, clocksMs, round] of CLOCKS)
  test(`clocks that are ${clocks}: every height is decided by round ${round}`, () => {
    const highest = roundsOf(clocksMs, PROTOCOL);
    assert.ok(highest <= round, `round ${highest}`);
    if (round === 0) return;
    const ofMutant = roundsOf(clocksMs, AHEAD_NOT_WIDENED.protocol);
    assert.ok(ofMutant > round, `mutant ${AHEAD_NOT_WIDENED.name} lives: round ${ofMutant}`);
  });
