/**
 * The pace of a large committee on an ordinary network, measured over few cuts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Timing } from 'svc-consensus/machine';
import { Random } from '../src/base/random.ts';
import type { Checker } from '../src/checkers/checker.ts';
import { drawPlan, FAULT_NAMES, type Plan } from '../src/plan/plan.ts';
import { REAL_EPOCHS } from '../src/world/cut.ts';
import { PROTOCOL } from '../src/world/protocol.ts';
import { World } from '../src/world/world.ts';

interface Scenario {
  readonly validators: number;
  readonly cuts: number;
  readonly delayMeanMs: number;
  readonly lossRate: number;
  readonly unrouted: number;
  /** The share of stake that never comes up. */
  readonly absentShare: number;
  readonly timing?: Partial<Timing>;
}

interface PaceFigures {
  readonly cuts: number;
  readonly meanIntervalMs: number;
  /** From the time a cut may start to the first node's decision of it. */
  readonly firstMsP50: number;
  readonly firstMsP95: number;
  /** The same for every node. */
  readonly decideMsP50: number;
  readonly decideMsP95: number;
  readonly cutsBeyondFirstRound: number;
  readonly kibPerValidatorAndCut: number;
  readonly debtMs: number;
}

const SEED = 7;
const ALL = new Set(FAULT_NAMES);
const DELAY_MS_MIN = 20;

function measurePace(scenario: Scenario): PaceFigures {
  const latencies: number[] = [];
  const firsts: number[] = [];
  const rounds = new Map<number, number>();
  const times = new Map<number, number>();
  const watch: Checker = {
    onDecision(world, node, cut, certificate) {
      const latency = world.now - Number(node.state.context.startAtMs);
      latencies.push(latency);
      rounds.set(cut.height, certificate.round);
      if (times.has(cut.height)) return;
      times.set(cut.height, world.now);
      firsts.push(latency);
    },
  };
  const plan = planOf(scenario);
  const timing = { ...PROTOCOL.rules.timing, ...scenario.timing };
  const protocol = { ...PROTOCOL, rules: { ...PROTOCOL.rules, timing } };
  const world = new World(plan, protocol, [watch]);
  world.countsBytes = true;
  world.runUntil(scenario.cuts, scenario.cuts * 10_000);
  const present = scenario.validators - plan.absent.size;
  const last = times.size;
  return {
    cuts: last,
    meanIntervalMs: ((times.get(last) ?? 0) - (times.get(1) ?? 0)) / (last - 1),
    firstMsP50: quantile(firsts, 0.5),
    firstMsP95: quantile(firsts, 0.95),
    decideMsP50: quantile(latencies, 0.5),
    decideMsP95: quantile(latencies, 0.95),
    cutsBeyondFirstRound: [...rounds.values()].filter((round) => round > 0).length,
    kibPerValidatorAndCut: world.bytesSent / present / last / 1024,
    debtMs: (times.get(last) ?? 0) - Number(timing.paceMs) * last,
  };
}

function quantile(values: readonly number[], share: number): number {
  const ordered = values.toSorted((a, b) => a - b);
  return ordered[Math.floor(ordered.length * share)] ?? Number.NaN;
}

function planOf(scenario: Scenario): Plan {
  const { validators } = scenario;
  const random = new Random(SEED, 3);
  const stakes = Array.from({ length: validators }, () => BigInt(random.integer(1, 10)));
  const order = random.shuffled([...stakes.keys()]);
  const total = stakes.reduce((sum, stake) => sum + stake, 0n);
  const absent = new Set<number>();
  let missing = 0;
  for (const index of order) {
    const more = missing + Number(stakes[index]);
    if (more > scenario.absentShare * Number(total)) continue;
    missing = more;
    absent.add(index);
  }
  const quiet = drawPlan(SEED, {
    validatorsMin: validators,
    validatorsMax: validators,
    without: ALL,
  });
  return {
    ...quiet,
    stakes: [stakes],
    delayMsMin: DELAY_MS_MIN,
    delayMeanMs: scenario.delayMeanMs - DELAY_MS_MIN,
    lossRate: scenario.lossRate,
    unrouted: new Set(random.shuffled([...stakes.keys()]).slice(0, scenario.unrouted)),
    absent,
    epochs: REAL_EPOCHS,
    safetyMs: Number.MAX_SAFE_INTEGER,
  };
}

const ordinary = {
  validators: 64,
  cuts: 15,
  delayMeanMs: 100,
  lossRate: 0,
  unrouted: 0,
  absentShare: 0,
};

test('64 validators keep 2,500 ms, decide within 450 ms and send what the design says', () => {
  const figures = measurePace(ordinary);
  assert.ok(Math.abs(figures.meanIntervalMs - 2500) < 5, `${figures.meanIntervalMs}`);
  assert.ok(figures.firstMsP50 <= 350 && figures.firstMsP95 <= 450);
  assert.ok(figures.decideMsP50 <= 350 && figures.decideMsP95 <= 450);
  assert.ok(
    Math.abs(figures.kibPerValidatorAndCut - 423) < 42.3,
    `${figures.kibPerValidatorAndCut}`,
  );
  assert.equal(figures.cutsBeyondFirstRound, 0);
});

test('20 without a route and 5 % loss cost no round', () => {
  const figures = measurePace({ ...ordinary, unrouted: 20, lossRate: 0.05 });
  assert.ok(Math.abs(figures.meanIntervalMs - 2500) < 10, `${figures.meanIntervalMs}`);
  assert.ok(figures.firstMsP50 <= 400 && figures.firstMsP95 <= 450);
  assert.equal(figures.cutsBeyondFirstRound, 0);
});
