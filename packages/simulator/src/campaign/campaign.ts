/**
 * Many seeds, one after another, with what they add up to.
 */
import { ROWS } from 'svc-consensus/machine';
import type { PlanOptions } from '../plan/plan.ts';
import type { Protocol } from '../world/protocol.ts';
import type { SeedResult, SeedRunner } from './run-seed.ts';
import { runSeed } from './run-seed.ts';

export interface CampaignOptions extends PlanOptions {
  readonly from: number;
  readonly seeds: number;
  readonly failuresMax: number;
  /** Every so many seeds one is run twice and its digests compared. */
  readonly repeatEvery: number;
}

export interface CampaignTotals {
  seeds: number;
  failures: SeedResult[];
  /** Seeds without a verdict. */
  abandoned: number;
  repeated: number;
  events: number;
  virtualMs: number;
  heights: number;
  crashes: number;
  equivocations: number;
  offencesProven: number;
  readonly rowsFired: Float64Array;
}

export function runCampaign(
  options: CampaignOptions,
  protocol: Protocol,
  onProgress: (totals: CampaignTotals) => void = () => {},
  run: SeedRunner = runSeed,
): CampaignTotals {
  const totals: CampaignTotals = {
    seeds: 0,
    failures: [],
    abandoned: 0,
    repeated: 0,
    events: 0,
    virtualMs: 0,
    heights: 0,
    crashes: 0,
    equivocations: 0,
    offencesProven: 0,
    rowsFired: new Float64Array(ROWS.length + 1),
  };
  for (let seed = options.from; seed < options.from + options.seeds; seed++) {
    add(totals, runChecked(seed, options, protocol, totals, run));
    onProgress(totals);
    if (totals.failures.length >= options.failuresMax) break;
  }
  return totals;
}

function runChecked(
  seed: number,
  options: CampaignOptions,
  protocol: Protocol,
  totals: CampaignTotals,
  run: SeedRunner,
): SeedResult {
  const result = run(seed, options, protocol);
  if (result.failure !== undefined || seed % options.repeatEvery !== 0) return result;
  totals.repeated += 1;
  const again = run(seed, options, protocol);
  if (again.digest === result.digest) return result;
  const detail = `digests ${result.digest} and ${again.digest}`;
  return { ...result, failure: { checker: 'determinism', detail, atMs: 0 } };
}

function add(totals: CampaignTotals, result: SeedResult): void {
  totals.seeds += 1;
  if (result.isAbandoned) totals.abandoned += 1;
  totals.events += result.events;
  totals.virtualMs += result.virtualMs;
  totals.heights += result.heights;
  totals.crashes += result.crashes;
  totals.equivocations += result.equivocations;
  totals.offencesProven += result.offencesProven;
  result.rowsFired.forEach((count, row) => {
    totals.rowsFired[row] = (totals.rowsFired[row] as number) + count;
  });
  if (result.failure !== undefined) totals.failures.push(result);
}
