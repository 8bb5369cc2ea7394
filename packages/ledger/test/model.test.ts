import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCut } from './model/actions.ts';
import { type Coverage, runModel } from './model/run.ts';

/** Events that a run must contain, so that agreement means something. */
const MUST_HAPPEN = [
  'finalized',
  'skipped',
  'expired',
  'not_yet_valid',
  'conflict',
  'unknown_input',
  'invalid',
  'no_effect',
  'bond finalized',
  'unbond finalized',
  'withdraw finalized',
  'validator_register finalized',
  'heartbeat finalized',
  'commission finalized',
  'rotate_key finalized',
  'exit finalized',
  'jailed',
  'removed',
  'paid self_bond',
  'paid delegation',
  'burned by output',
  'burned by equivocation',
  'reward',
];

test('the ledger agrees with a reference model on random cuts over many epochs', () => {
  const coverage: Coverage = new Map();
  fc.assert(
    fc.property(fc.array(anyCut, { minLength: 20, maxLength: 60 }), (drawings) => {
      runModel(drawings, { interval: 12, cuts: 240, coverage });
    }),
    { numRuns: 8, seed: 20_261_115, endOnFailure: true },
  );
  for (const name of MUST_HAPPEN) assert.ok((coverage.get(name) ?? 0) > 0, `never: ${name}`);
});
