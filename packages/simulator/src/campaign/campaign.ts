/**
 * Many seeds of one level, one after another, with what they add up to.
 */
import type { Failure } from '../base/failure.ts';
import type { PlanOptions } from '../plan/plan.ts';

export interface CampaignOptions extends PlanOptions {
  readonly from: number;
  readonly seeds: number;
  readonly failuresMax: number;
  /** Every so many seeds one is run twice and its digests compared. */
  readonly repeatEvery: number;
}

/** What came of one seed. Its other numbers are added up over a campaign. */
export interface SeedOutcome {
  readonly seed: number;
  readonly failure: Failure | undefined;
  readonly digest: string;
  /** How often each row of the transition table fired, where the level counts that. */
  readonly rowsFired?: Uint32Array;
}

export type SeedRunner<R extends SeedOutcome> = (
  seed: number,
  options: PlanOptions,
) => R | Promise<R>;

type CountName<R> = { [K in keyof R]: R[K] extends number ? K : never }[keyof R];
export type Counts<R> = Record<Exclude<CountName<R>, 'seed'>, number>;

export interface CampaignTotals<R extends SeedOutcome = SeedOutcome> {
  seeds: number;
  readonly failures: R[];
  /** Seeds that were run twice with the same digest. */
  repeated: number;
  /** Sums over all seeds; of a name that begins with `slowest` the largest. */
  readonly counts: Counts<R>;
  readonly rowsFired: number[];
}

export async function runCampaign<R extends SeedOutcome>(
  options: CampaignOptions,
  run: SeedRunner<R>,
  onProgress: (totals: CampaignTotals<R>) => void = () => {},
): Promise<CampaignTotals<R>> {
  const counts = {} as Counts<R>;
  const totals: CampaignTotals<R> = { seeds: 0, failures: [], repeated: 0, counts, rowsFired: [] };
  for (let seed = options.from; seed < options.from + options.seeds; seed++) {
    add(totals, await runChecked(seed, options, run, totals));
    onProgress(totals);
    if (totals.failures.length >= options.failuresMax) break;
  }
  return totals;
}

async function runChecked<R extends SeedOutcome>(
  seed: number,
  options: CampaignOptions,
  run: SeedRunner<R>,
  totals: CampaignTotals<R>,
): Promise<R> {
  const result = await run(seed, options);
  if (result.failure !== undefined || seed % options.repeatEvery !== 0) return result;
  totals.repeated += 1;
  const { digest } = await run(seed, options);
  if (digest === result.digest) return result;
  const detail = `digests ${result.digest} and ${digest}`;
  return { ...result, failure: { checker: 'determinism', detail, atMs: 0 } };
}

function add<R extends SeedOutcome>(totals: CampaignTotals<R>, result: R): void {
  const { rowsFired } = totals;
  const counts: Record<string, number> = totals.counts;
  totals.seeds += 1;
  for (const [name, value] of Object.entries(result)) {
    if (typeof value !== 'number' || name === 'seed') continue;
    const before = counts[name] ?? 0;
    counts[name] = name.startsWith('slowest') ? Math.max(before, value) : before + value;
  }
  result.rowsFired?.forEach((count, row) => {
    rowsFired[row] = (rowsFired[row] ?? 0) + count;
  });
  if (result.failure !== undefined) totals.failures.push(result);
}
