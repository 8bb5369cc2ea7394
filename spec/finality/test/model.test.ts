/** What Quint's simulator finds in the model within a few seconds, under recorded seeds, and what it does not find. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type QuintRun, runTests, SPEC, simulate } from './quint.ts';

/** One of four cuts another one off, and then signs in rounds that never were (ADR 0312). */
const SPLIT = { step: 'lockstep', steps: 30, samples: 1, seed: '0x955' } as const;
/** The same, with both sides filled. */
const HALT = { step: 'lockstepAndHeal', steps: 48, samples: 1, seed: '0x1539' } as const;
/** Two of four make a fork over two rounds; none signs a slot twice (ADR 0317). */
const AMNESIA = {
  init: 'initAmnesia',
  step: 'lockstep',
  steps: 24,
  samples: 1,
  seed: '0x2c4a',
} as const;

interface Case {
  readonly name: string;
  readonly run: QuintRun;
  /** Whether the simulator is to find a run against the properties. */
  readonly isFound: boolean;
}

const CASES: readonly Case[] = [
  {
    name: 'rounds held as they come: a claim that nobody else can hold',
    run: { ...SPLIT, init: 'initFirstCome', invariants: ['claimsObtainable'] },
    isFound: true,
  },
  {
    name: 'rounds held by quorums: the same run, and every claim is held',
    run: {
      ...SPLIT,
      init: 'initSmall',
      invariants: ['claimsObtainable', 'safety'],
      witnesses: ['decidedInTwoRounds'],
    },
    isFound: false,
  },
  {
    name: 'rounds held as they come: a height that does not end although the network heals',
    run: { ...HALT, init: 'initFirstCome', invariants: ['decidesAfterHealing'] },
    isFound: true,
  },
  {
    name: 'rounds held by quorums: the same run, and the height ends',
    run: { ...HALT, init: 'initSmall', invariants: ['decidesAfterHealing'] },
    isFound: false,
  },
  {
    name: 'rounds held by quorums: other runs with these bounds, which heal and decide',
    run: {
      init: 'initSmall',
      step: 'lockstepAndHeal',
      steps: 48,
      samples: 6,
      seed: '0x7',
      invariants: ['claimsObtainable', 'safety', 'decidesAfterHealing'],
    },
    isFound: false,
  },
  {
    name: 'today, in disorder: agreement, true and obtainable claims, no honest equivocation',
    run: {
      step: 'deep',
      steps: 60,
      samples: 20,
      seed: '0x8',
      invariants: ['claimsObtainable', 'safety'],
    },
    isFound: false,
  },
  {
    name: 'two of four ignore locks: a fork that equivocation convicts nobody of',
    run: { ...AMNESIA, invariants: ['forkConvicts'] },
    isFound: true,
  },
  {
    name: 'two of four ignore locks: all logs together name a third, and nobody honest',
    run: {
      ...AMNESIA,
      invariants: ['forkNamesThird', 'logsNameOnlyFaulty', 'forkInOneRoundConvicts'],
    },
    isFound: false,
  },
];

for (const { name, run, isFound } of CASES)
  test(name, async (t) => {
    const { isViolated, output } = await simulate(run);
    t.diagnostic(output.trim());
    assert.equal(isViolated, isFound);
    if (run.witnesses !== undefined) assert.match(output, /was witnessed in [1-9]/);
  });

test('an honest validator that two messages would convict of amnesia', async (t) => {
  const { isFailed, output } = await runTests(SPEC);
  t.diagnostic(output.trim());
  assert.equal(isFailed, false);
  assert.match(output, /1 passing/);
});
