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
  /** The properties that the simulator finds violated. */
  readonly violated: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: 'rounds held as they come: a claim that no other validator can hold',
    run: { ...SPLIT, init: 'initFirstCome', invariants: ['safety', 'claimsObtainable'] },
    violated: ['claimsObtainable'],
  },
  {
    name: 'rounds held as they come: a height that does not end although the network heals',
    run: { ...HALT, init: 'initFirstCome', invariants: ['safety', 'decidesAfterHealing'] },
    violated: ['decidesAfterHealing'],
  },
  {
    name: 'rounds held by quorums: the same run and others with these bounds heal and decide',
    run: {
      ...HALT,
      init: 'initSmall',
      samples: 5,
      invariants: ['safety', 'claimsObtainable', 'decidesAfterHealing'],
      witnesses: ['decidedInTwoRounds'],
    },
    violated: [],
  },
  {
    name: 'today, in disorder: agreement, true and obtainable claims, no honest equivocation',
    run: {
      step: 'deep',
      steps: 50,
      samples: 12,
      seed: '0x8',
      invariants: ['safety', 'claimsObtainable'],
    },
    violated: [],
  },
  {
    name: 'two of four ignore locks: equivocation convicts none of them of the fork, all logs name a third',
    run: {
      ...AMNESIA,
      invariants: [
        'forkConvicts',
        'forkNamesThird',
        'logsNameOnlyFaulty',
        'forkInOneRoundConvicts',
      ],
    },
    violated: ['forkConvicts'],
  },
];

for (const { name, run, violated } of CASES)
  test(name, async (t) => {
    const { output } = await simulate(run);
    t.diagnostic(output.trim());
    assert.deepEqual(
      [...output.matchAll(/❌ (\w+)/g)].map(([, property]) => property),
      violated,
    );
    assert.equal(output.includes('[violation]'), violated.length > 0);
    if (run.witnesses !== undefined) assert.match(output, /was witnessed in [1-9]/);
  });

test('an honest validator that two messages would convict of amnesia', async (t) => {
  const { isFailed, output } = await runTests(SPEC);
  t.diagnostic(output.trim());
  assert.equal(isFailed, false);
  assert.match(output, /1 passing/);
});
