/**
 * The committee with the real ledger under faults: every honest node reaches the same states, work is
 * paid, and who signs twice loses its bond.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CutEvents, type ExecutedBlock, type OutcomeKind, SINGLE_KEY } from 'svc-ledger';
import { init } from 'svc-wasm';
import { runCampaign } from '../src/campaign/campaign.ts';
import { createLedgerWorld, type LedgerWorld, runLedgerSeed } from '../src/campaign/levels.ts';
import { LedgerApplication, LedgerLevel } from '../src/ledger/ledger-level.ts';
import type { Execution } from '../src/ledger/replica.ts';
import type { Node } from '../src/node/node.ts';
import { drawLedgerPlan } from '../src/plan/ledger-plan.ts';
import { FAULT_NAMES, type Plan } from '../src/plan/plan.ts';
import type { Cut } from '../src/world/cut.ts';
import { PROTOCOL } from '../src/world/protocol.ts';
import { replayIntoStore } from './store-replay.ts';

const SEEDS = Number(process.env['SVC_SIMULATE_LEDGER_SEEDS'] ?? 200);
const COMMITTEE = { validatorsMin: 4, validatorsMax: 7 };
/** Of the many seeds: what the largest committees cost is spent on committees that change. */
const CAMPAIGN_COMMITTEE = { validatorsMin: 4, validatorsMax: 6 };

await init();

/** Four equal validators without faults, except what a test adds. */
function calmWorld(
  changes: Partial<Plan>,
  ApplicationClass?: typeof LedgerApplication,
): LedgerWorld {
  const options = { validatorsMin: 4, validatorsMax: 4, without: new Set(FAULT_NAMES) };
  const calm = { delayMeanMs: 20, stakes: [[3n, 3n, 3n, 3n]] };
  const plan = { ...drawLedgerPlan(1, options), ...calm, ...changes };
  return createLedgerWorld(plan, PROTOCOL, new LedgerLevel(plan, ApplicationClass));
}

test(`no violation in ${SEEDS} seeds with the real ledger`, async () => {
  const options = { ...CAMPAIGN_COMMITTEE, from: 1, seeds: SEEDS, failuresMax: 1, repeatEvery: 50 };
  const totals = await runCampaign(options, runLedgerSeed);
  assert.deepEqual(
    totals.failures.map(({ seed, failure }) => [seed, failure]),
    [],
  );
  assert.equal(totals.repeated, Math.floor(SEEDS / 50));
  assert.ok(totals.counts.heights >= 20 * SEEDS);
  assert.ok(totals.counts.crashes > SEEDS / 2);
  assert.ok(totals.counts.offencesProven > SEEDS / 4);
});

test('the same seed gives the same digest, another seed another one', () => {
  const digests = [5, 5, 6].map((seed) => runLedgerSeed(seed, COMMITTEE).digest);
  assert.equal(digests[0], digests[1]);
  assert.notEqual(digests[0], digests[2]);
});

test('anchors close and pay, and transactions end in every way that they are made for', () => {
  const { world, level } = calmWorld({ seed: 4, safetyMs: 120_000, livenessHeights: 80 });
  world.run();
  assert.equal(world.failure, undefined);
  const [node] = world.honest;
  assert.ok(node !== undefined);
  const { executions } = level.replicaOf(node);
  const events = executions.map(({ result }) => result.events);
  assert.ok(executions.length >= 120);
  assert.ok(events.flatMap(({ rewards }) => rewards).length > 10);
  const kinds = new Set(events.flatMap(({ outcomes }) => outcomes.map(({ kind }) => kind)));
  const expected: OutcomeKind[] = ['conflict', 'expired', 'finalized', 'invalid', 'not_yet_valid'];
  for (const kind of expected) assert.ok(kinds.has(kind), kind);
  const delegations = level.replicaOf(node).state.records('positions');
  assert.ok(delegations.some(([, { kind }]) => kind === 'delegation'));
});

test('a validator that runs twice is proven guilty once, and its bond is burned', () => {
  const twin = 2;
  const { world, level } = calmWorld({ byzantine: new Map([[twin, 'twins']]), safetyMs: 60_000 });
  world.run();
  assert.equal(world.failure, undefined);
  assert.ok(world.equivocations > 0);
  const validatorId = level.setting.validatorIds[twin];
  assert.equal(world.honest.length, 3);
  for (const node of world.honest) {
    const { executions, economy, state } = level.replicaOf(node);
    const accused = executions.flatMap(({ input }) =>
      input.evidence.map((item) => item.validatorId),
    );
    assert.deepEqual(accused, [validatorId]);
    const burns = executions.flatMap(({ result }) => result.events.burns);
    const [burn] = burns.filter(({ cause }) => cause === 'equivocation');
    assert.ok(burn !== undefined && burn.amount >= level.bondOf(twin));
    assert.ok(economy.burned >= burn.amount);
    const positions = state.records('positions').map(([, position]) => position);
    const bonds = positions.filter(({ kind }) => kind === 'self_bond');
    assert.equal(bonds.length, 3);
    assert.ok(bonds.every((bond) => bond.validatorId !== validatorId && bond.bonded > 0n));
    assert.equal(node.evidence, 0);
  }
});

test('the real store executes the same chains to the same roots', async () => {
  for (const seed of [7]) {
    const { world, level } = createLedgerWorld(drawLedgerPlan(seed, COMMITTEE));
    world.run();
    const node = world.honest.at(-1) ?? assert.fail('nobody is honest');
    const { executions } = level.replicaOf(node);
    assert.ok(executions.some(({ input }) => input.executed.length > 0));
    const store = await replayIntoStore(level, node);
    assert.equal(store.head?.height, executions.length);
    assert.equal(store.head?.stateRoot, executions.at(-1)?.result.stateRoot);
    await store.close();
  }
});

test('control: one atom too many in the state of one node is found', () => {
  const { world, level } = calmWorld({});
  const node = world.honest[1];
  assert.ok(node !== undefined);
  const { state } = level.replicaOf(node);
  const [key, output] = state.records('outputs')[0] ?? assert.fail('no outputs');
  const after = { ...output, amount: output.amount + 1n };
  state.apply([{ table: 'outputs', key, before: output, after }]);
  const { economy } = level.replicaOf(node);
  const richer = { ...economy, outputs: economy.outputs + 1n };
  state.apply([{ table: 'economy', key: SINGLE_KEY, before: economy, after: richer }]);
  world.run();
  assert.equal(world.failure?.checker, 'ledger');
});

class Credulous extends LedgerApplication {
  protected override contentsHold(): boolean {
    return true;
  }
}

class Forgiving extends LedgerApplication {
  protected override chooseEvidence(): [] {
    return [];
  }
}

test('control: nodes that do not execute a cut before they vote for it are found out', () => {
  const { world } = calmWorld({ byzantine: new Map([[1, 'invalidCut']]) }, Credulous);
  world.run();
  assert.equal(world.failure?.checker, 'honestVotes');
});

test('control: nodes that keep no evidence are found out', () => {
  const { world } = calmWorld({ byzantine: new Map([[2, 'twins']]), safetyMs: 60_000 }, Forgiving);
  world.run();
  assert.equal(world.failure?.checker, 'conviction');
});

/** A world in which what nodes have executed is changed behind their backs. */
function tamperedWorld(
  changes: Partial<Plan>,
  tamper: (execution: Execution, node: Node) => Execution,
): LedgerWorld {
  class Tampered extends LedgerApplication {
    readonly #owner: Node;

    constructor(...parts: ConstructorParameters<typeof LedgerApplication>) {
      super(...parts);
      this.#owner = parts[0];
    }

    override decided(cut: Cut): void {
      super.decided(cut);
      const { executions } = created.level.replicaOf(this.#owner);
      const last = executions.pop() ?? assert.fail('nothing was executed');
      executions.push(tamper(last, this.#owner));
    }
  }
  const created = calmWorld(changes, Tampered);
  return created;
}

function withEvents(execution: Execution, events: Partial<CutEvents>): Execution {
  const { result } = execution;
  return { ...execution, result: { ...result, events: { ...result.events, ...events } } };
}

test('control: a node with another root is found out', () => {
  const { world } = tamperedWorld({}, (execution, node) => {
    if (node.index !== 1 || execution.input.height !== 3) return execution;
    return { ...execution, result: { ...execution.result, stateRoot: '00'.repeat(48) } };
  });
  world.run();
  assert.equal(world.failure?.checker, 'stateRoots');
});

test('control: a block that is executed twice, and one that is not, are found out', () => {
  let first: ExecutedBlock | undefined;
  const twice = tamperedWorld({}, (execution) => {
    const { input } = execution;
    first ??= input.executed[0];
    if (first === undefined || input.executed.includes(first)) return execution;
    return { ...execution, input: { ...input, executed: [...input.executed, first] } };
  });
  twice.world.run();
  assert.equal(twice.world.failure?.checker, 'execution');
  const never = tamperedWorld({}, (execution) => {
    return { ...execution, input: { ...execution.input, executed: [] } };
  });
  never.world.run();
  assert.equal(never.world.failure?.checker, 'execution');
});

test('control: a reward that is an atom too large is found out', () => {
  const { world } = tamperedWorld({ safetyMs: 120_000, livenessHeights: 80 }, (execution) => {
    const [reward, ...others] = execution.result.events.rewards;
    if (reward === undefined) return execution;
    const larger = { ...reward, amount: reward.amount + 1n };
    return withEvents(execution, { rewards: [larger, ...others] });
  });
  world.run();
  assert.equal(world.failure?.checker, 'rewards');
});

test('control: an offender that keeps its bond is found out', () => {
  const { world } = tamperedWorld(
    { byzantine: new Map([[2, 'twins']]), safetyMs: 60_000 },
    (execution) => {
      return withEvents(execution, { burns: [] });
    },
  );
  world.run();
  assert.equal(world.failure?.checker, 'punishment');
});
