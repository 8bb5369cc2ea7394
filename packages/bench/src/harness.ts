/**
 * Compares one of our functions with a peer in the same run. Rounds of both alternate, so that a
 * busy machine slows both. What counts is the least time of each operation over all rounds; where
 * the work itself varies from call to call it is the mean of the processor time.
 */

export interface BenchOptions {
  /** Runs everything once or twice to see that it works; nothing is judged. */
  readonly smoke: boolean;
  /** Scales the number of rounds; 1 by default. */
  readonly size: number;
  /** Only rows whose names contain this text are wanted. */
  readonly row?: string | undefined;
}

/** A limit for each processor, where the same code does not gain the same on both. */
export interface LimitByProcessor {
  readonly arm64: number;
  readonly x64: number;
}

export interface Contender {
  readonly name: string;
  /** Makes ready for a round; not timed. */
  readonly prepare?: () => void;
  /** One operation, timed by itself; `index` counts from 0 within a round. */
  readonly run: (index: number) => void;
}

export interface Comparison {
  readonly name: string;
  readonly ours: Contender;
  readonly peer: Contender;
  /** How many times as fast as the peer ours has to be. */
  readonly limit: number | LimitByProcessor;
  /** Operations in a round. */
  readonly operations: number;
  /** Calls that one operation makes, for functions too quick to be timed one by one. */
  readonly calls?: number;
  readonly rounds?: number;
  readonly statistic?: 'least' | 'mean';
}

export interface Row {
  readonly name: string;
  readonly ours: string;
  readonly peer: string;
  readonly ratio: number;
  readonly limit: number;
}

export type Bench = (options: BenchOptions) => Promise<readonly Row[]>;

const ROUNDS = 60;

/** Times of one contender, in nanoseconds. */
class Timing {
  readonly #best: number[] = [];
  readonly #all: number[] = [];
  #processor = 0;

  round(contender: Contender, operations: number): void {
    contender.prepare?.();
    const before = process.threadCpuUsage();
    for (let i = 0; i < operations; i++) {
      const start = process.hrtime.bigint();
      contender.run(i);
      const elapsed = Number(process.hrtime.bigint() - start);
      this.#all.push(elapsed);
      this.#best[i] = Math.min(this.#best[i] ?? elapsed, elapsed);
    }
    const { user, system } = process.threadCpuUsage(before);
    this.#processor += 1000 * (user + system);
  }

  get least(): number {
    return this.#best.reduce((sum, value) => sum + value, 0) / this.#best.length;
  }

  get median(): number {
    return this.#all.toSorted((a, b) => a - b)[this.#all.length >> 1] as number;
  }

  get mean(): number {
    return this.#processor / this.#all.length;
  }
}

export function formatTime(nanoseconds: number): string {
  if (nanoseconds < 1e4) return `${nanoseconds.toFixed(0)} ns`;
  if (nanoseconds < 1e7) return `${(nanoseconds / 1e3).toFixed(1)} us`;
  return `${(nanoseconds / 1e6).toFixed(1)} ms`;
}

/** The limit that holds on this machine; that of arm64 where there is none for its processor. */
export function limitHere(limit: number | LimitByProcessor): number {
  if (typeof limit === 'number') return limit;
  return process.arch === 'x64' ? limit.x64 : limit.arm64;
}

export function compare(comparison: Comparison, options: BenchOptions): Row {
  const { name, ours, peer, calls = 1, statistic = 'least' } = comparison;
  const limit = limitHere(comparison.limit);
  if (!isWanted(name, options)) return { name, ours: '', peer: '', ratio: 0, limit };
  const rounds = options.smoke ? 1 : Math.ceil((comparison.rounds ?? ROUNDS) * options.size);
  const operations = options.smoke ? 2 : comparison.operations;
  const [our, their] = [new Timing(), new Timing()];
  for (let i = 0; i < rounds; i++) {
    our.round(ours, operations);
    their.round(peer, operations);
  }
  const describe = (timing: Timing, name: string) =>
    statistic === 'mean'
      ? `${formatTime(timing.mean / calls)} mean (${name})`
      : `${formatTime(timing.least / calls)} least, ${formatTime(timing.median / calls)} median (${name})`;
  return {
    name,
    ours: describe(our, ours.name),
    peer: describe(their, peer.name),
    ratio: their[statistic] / our[statistic],
    limit,
  };
}

/** Whether a row is wanted; a comparison of another one is not run. */
export function isWanted(name: string, { row }: BenchOptions): boolean {
  return row === undefined || name.includes(row);
}

/** Prints a row and says whether it holds its limit; a smoke run is not judged. */
export function report(row: Row, options: BenchOptions): boolean {
  process.stdout.write(`${row.name}\n  ours  ${row.ours}\n  peer  ${row.peer}\n`);
  if (options.smoke) return true;
  const holds = row.ratio >= row.limit;
  const verdict = holds ? 'holds' : 'FALLS SHORT';
  process.stdout.write(`  ratio ${row.ratio.toFixed(2)}, limit ${row.limit}: ${verdict}\n`);
  return holds;
}
