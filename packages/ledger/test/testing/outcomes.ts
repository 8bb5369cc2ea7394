/** Outcomes in a form that tests can compare with one line. */
import assert from 'node:assert/strict';
import type { CutResult } from '../../src/cut.ts';
import type { ExecutableTransaction } from '../../src/transaction.ts';
import type { TestChain } from './test-chain.ts';

/** `finalized`, `invalid: wrong_witness`, … in order. */
export function kindsOf({ events }: CutResult): string[] {
  return events.outcomes.map(({ kind, reason }) => (reason === '' ? kind : `${kind}: ${reason}`));
}

/** Executes transactions that must all be finalized. */
export function executeAll(
  chain: TestChain,
  ...transactions: readonly ExecutableTransaction[]
): CutResult {
  const result = chain.execute(...transactions);
  assert.deepEqual(
    kindsOf(result),
    transactions.map(() => 'finalized'),
  );
  return result;
}
