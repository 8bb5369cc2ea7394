/**
 * The worlds to explore: who proposes, up to names, and whether the second cut is valid.
 */
import { RULES } from 'svc-consensus/machine';
import type { World } from './node-table.ts';
import { BYZANTINE, ROUNDS } from './universe.ts';

const PROPOSERS: readonly (readonly number[])[] = [
  [BYZANTINE, 0, 1, 2],
  [0, BYZANTINE, 1, 2],
  [0, 1, 2, BYZANTINE],
];

export const WORLDS: readonly World[] = PROPOSERS.flatMap((proposers) =>
  [true, false].map((isSecondValid) => ({
    proposers,
    isSecondValid,
    rounds: ROUNDS,
    rules: RULES,
  })),
);

export function describeWorld({ proposers, isSecondValid }: World): string {
  const names = proposers
    .slice(0, 2)
    .map((index) => (index === BYZANTINE ? 'Byzantine' : `honest ${index}`));
  return `proposers ${names.join(', ')}; ${isSecondValid ? 'both cuts valid' : 'one cut invalid'}`;
}
