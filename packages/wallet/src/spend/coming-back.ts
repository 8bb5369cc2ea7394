/**
 * Coins that are the wallet's again once transactions under way are final: change, and what is merged. They cannot
 * be spent before. What a node refused holds its outputs until its time has passed, and is not counted.
 */
import type { State } from '../state/open-state.ts';

export function comingBack({ journal, outputs }: Pick<State, 'journal' | 'outputs'>): bigint {
  return journal
    .open()
    .filter(({ state }) => state !== 'refused')
    .reduce((sum, { amount, fee, id, kind }) => {
      const held = outputs.reservedBy(id).reduce((total, output) => total + output.amount, 0n);
      const leaves = fee + (kind === 'compound' ? 0n : amount);
      return held > leaves ? sum + held - leaves : sum;
    }, 0n);
}
