/**
 * Makes a failing seed simpler while it still fails in the same way: fewer classes of faults, fewer
 * validators to choose from, a shorter safety phase.
 */

import {
  COMMITTEE_FAULT_NAMES,
  FAULT_NAMES,
  type FaultName,
  type PlanOptions,
} from '../plan/plan.ts';
import type { SeedOutcome, SeedRunner } from './campaign.ts';

const SHORTENINGS_MAX = 8;

export async function shrink<R extends SeedOutcome>(
  seed: number,
  options: PlanOptions,
  run: SeedRunner<R>,
): Promise<PlanOptions> {
  const original = (await run(seed, options)).failure;
  if (original === undefined) return options;
  const stillFails = async (smaller: PlanOptions) =>
    (await run(seed, smaller)).failure?.checker === original.checker;
  let smallest = options;
  for (const name of [...COMMITTEE_FAULT_NAMES, ...FAULT_NAMES]) {
    const without = new Set<FaultName>(smallest.without).add(name);
    const always = new Set<FaultName>(smallest.always);
    always.delete(name);
    const smaller = { ...smallest, without, always };
    if (await stillFails(smaller)) smallest = smaller;
  }
  let safetyMsMax = Math.min(smallest.safetyMsMax ?? 16_000, Math.ceil(original.atMs));
  for (let count = 0; count < SHORTENINGS_MAX && safetyMsMax > 100; count++) {
    const smaller = { ...smallest, safetyMsMax };
    if (!(await stillFails(smaller))) break;
    smallest = smaller;
    safetyMsMax = Math.floor(safetyMsMax * 0.7);
  }
  return smallest;
}

/** The command that runs exactly this again. */
export function replayCommand(
  seed: number,
  options: PlanOptions,
  mutant?: string,
  level = 'finality',
): string {
  const { validatorsMin, validatorsMax, without, always, safetyMsMax } = options;
  const parts = [
    `npm run simulate -- --level ${level} --seed ${seed}`,
    `--validators ${validatorsMin}..${validatorsMax}`,
  ];
  if (without !== undefined && without.size > 0) parts.push(`--without ${[...without].join(',')}`);
  if (always !== undefined && always.size > 0) parts.push(`--always ${[...always].join(',')}`);
  if (safetyMsMax !== undefined) parts.push(`--safety-ms ${safetyMsMax}`);
  if (mutant !== undefined) parts.push(`--mutant ${mutant}`);
  return parts.join(' ');
}
