/**
 * The real ledger elects committees that change while faults happen: validators join, leave, are jailed and come back,
 * rotate their keys and are removed. Who confuses a seat with its holder is found out.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from 'svc-wasm';
import { createLedgerWorld, type LedgerWorld, runLedgerSeed } from '../src/campaign/levels.ts';
import { lapses, supply } from '../src/checkers/ledger.ts';
import { LedgerApplication, LedgerLevel } from '../src/ledger/ledger-level.ts';
import { COMMITTEE_MUTANTS } from '../src/mutants/mutants.ts';
import { drawLedgerPlan } from '../src/plan/ledger-plan.ts';
import { FAULT_NAMES } from '../src/plan/plan.ts';
import type { Cut, Epoch } from '../src/world/cut.ts';
import { PROTOCOL } from '../src/world/protocol.ts';
import { COMMITTEE_KILLERS } from './killers.ts';
import { replayIntoStore } from './store-replay.ts';

const CHANGING = { validatorsMin: 4, validatorsMax: 5, always: new Set(['changes'] as const) };
const SEEDS = [1, 2, 5, 7, 9, 35];
const LATER_KEYS = 64;

await init();

function epochsOf({ level }: LedgerWorld): Epoch[] {
  const epochs: Epoch[] = [];
  for (;;) {
    const epoch = level.committees?.at(epochs.length);
    if (epoch === undefined) return epochs;
    epochs.push(epoch);
  }
}

test('committees change in every way within a few seeds, and nothing is violated', () => {
  const seen = new Set<string>();
  for (const seed of SEEDS) {
    const created = createLedgerWorld(drawLedgerPlan(seed, CHANGING));
    const { world, level } = created;
    world.run();
    assert.equal(world.failure, undefined, `seed ${seed}`);
    const [node] = world.honest;
    const { executions } = level.replicaOf(node ?? assert.fail('nobody is honest'));
    for (const { result } of executions)
      for (const { type } of result.events.validators) seen.add(type);
    const epochs = epochsOf(created);
    for (const [at, { keys, holders }] of epochs.entries()) {
      const before = epochs[at - 1]?.holders ?? holders;
      if (keys.some((key) => key >= LATER_KEYS)) seen.add('rotated');
      if (holders.some((validator) => !before.includes(validator))) seen.add('seated');
      const earlier = epochs.slice(0, at).flatMap((epoch) => epoch.holders);
      if (holders.some((one) => !before.includes(one) && earlier.includes(one))) seen.add('back');
    }
  }
  for (const name of ['registered', 'seated', 'exited', 'jailed', 'back', 'rotated', 'removed'])
    assert.ok(seen.has(name), name);
});

test('precommits that a removed validator forges are not the work of the holder of the seat: seed 4018717', () => {
  const { failure } = runLedgerSeed(4_018_717, { validatorsMin: 4, validatorsMax: 7 });
  assert.equal(failure, undefined);
});

test('the real store executes a chain with other committees to the same root', async () => {
  const { world, level } = createLedgerWorld(drawLedgerPlan(2, CHANGING));
  world.run();
  const [node] = world.honest;
  const { executions } = level.replicaOf(node ?? assert.fail('nobody is honest'));
  const store = await replayIntoStore(level, node ?? assert.fail('nobody is honest'));
  assert.equal(store.head?.stateRoot, executions.at(-1)?.result.stateRoot);
  await store.close();
});

for (const { name, breaks, protocol } of COMMITTEE_MUTANTS) {
  test(`mutant ${name} dies: ${breaks}`, () => {
    const seed = COMMITTEE_KILLERS[name] ?? assert.fail('a seed that kills it is recorded');
    assert.notEqual(runLedgerSeed(seed, CHANGING, protocol).failure, undefined);
    assert.ok(SEEDS.includes(seed), 'the unbroken protocol passes the seed');
  });
}

/** Four equal validators without faults whose ledger elects, for two epochs and a half. */
function calmWorld(ApplicationClass: typeof LedgerApplication = LedgerApplication): LedgerWorld {
  const options = { ...CHANGING, validatorsMax: 4, without: new Set(FAULT_NAMES) };
  const drawn = drawLedgerPlan(1, options);
  const changes = drawn.changes && { ...drawn.changes, exits: [], absences: [], rotations: [] };
  const calm = { delayMeanMs: 20, safetyMs: 50_000, livenessHeights: 10, changes };
  const plan = { ...drawn, ...calm };
  return createLedgerWorld(plan, PROTOCOL, new LedgerLevel(plan, ApplicationClass));
}

test('control: an atom too many for a position is found out', () => {
  class Generous extends LedgerApplication {
    override decided(cut: Cut): void {
      super.decided(cut);
      for (const { executions } of created.world.nodes.map(created.level.replicaOf)) {
        const last = executions.pop();
        if (last === undefined) continue;
        const { events } = last.result;
        const stakePayouts = events.stakePayouts.map((paid) => ({
          ...paid,
          amount: paid.amount + 1n,
        }));
        executions.push({
          ...last,
          result: { ...last.result, events: { ...events, stakePayouts } },
        });
      }
    }
  }
  const created = calmWorld(Generous);
  created.world.run();
  assert.equal(created.world.failure?.checker, 'stakePayments');
});

test('control: atoms from nowhere and validators that run and lapse are found out', () => {
  const { world, level } = calmWorld();
  const found = () => world.failure?.checker;
  world.run();
  assert.equal(found(), undefined);
  const [node] = world.honest;
  const { state } = level.replicaOf(node ?? assert.fail('nobody is honest'));
  const [key, output] = state.records('outputs')[0] ?? assert.fail('no outputs');
  const richer = { ...output, amount: output.amount + 1n };
  state.apply([{ table: 'outputs', key, before: output, after: richer }]);
  supply(level).atEnd?.(world);
  assert.equal(found(), 'supply');
  world.failure = undefined;
  const [id, record] = state.records('validators')[0] ?? assert.fail('no validators');
  const silent = { ...record, heartbeatEpoch: null, registeredEpoch: -9 };
  state.apply([{ table: 'validators', key: id, before: record, after: silent }]);
  const watch = lapses(level);
  for (const { cut, certificate } of node?.disk.chain ?? [])
    watch.onDecision?.(world, node ?? assert.fail('nobody'), cut, certificate);
  assert.equal(found(), 'lapses');
});
