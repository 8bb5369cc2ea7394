/**
 * Which jobs a session was given, and the share target of each. A server gives every job to thousands of sessions, so
 * a session keeps no entry for a job: it keeps runs of jobs that follow each other in a series and have one target,
 * and a new job makes the last run longer.
 */
import { equalBytes } from 'svc-wasm/base';
import { difficultyOf } from '../effort/difficulty.ts';
import type { JobBook, JobSeries } from '../jobs/job-book.ts';

/** What a share of a job has to be, and what it counts. */
export interface ShareTerms {
  readonly target: Uint8Array;
  /** Difficulty of the target; computed once for all shares of a run. */
  readonly difficulty: bigint;
}

interface Run extends ShareTerms {
  readonly series: JobSeries;
  readonly first: number;
  last: number;
  /** The number of the job at `last`. */
  lastNumber: number;
}

/** A session begins a run with every change of its difficulty and with every connection; jobs live for minutes. */
const RUNS_MAX = 256;

export class GivenJobs {
  readonly #jobs: JobBook;
  #runs: Run[] = [];

  constructor(jobs: JobBook) {
    this.#jobs = jobs;
  }

  /** Whether one of the jobs is still open. */
  get hasOpen(): boolean {
    return this.#runs.some(({ lastNumber }) => this.#jobs.get(lastNumber) !== undefined);
  }

  /** A caller that gives one job to many sessions looks up its slot once. */
  add(number: number, target: Uint8Array, at = this.#jobs.placeOf(number)): void {
    if (at === undefined) return;
    const { series, place } = at;
    const run = this.#runs.at(-1);
    if (run !== undefined && run.series === series && isSame(run.target, target)) {
      if (place === run.last) return;
      if (place === run.last + 1) {
        run.last = place;
        run.lastNumber = number;
        return;
      }
    }
    this.#forgetOldRuns();
    const difficulty = difficultyOf(target);
    this.#runs.push({ series, first: place, target, difficulty, last: place, lastNumber: number });
  }

  /** The terms that the job was given with last; undefined if the session was not given the job or it ended long ago. */
  termsOf(number: number): ShareTerms | undefined {
    const at = this.#jobs.placeOf(number);
    if (at === undefined) return undefined;
    const { series, place } = at;
    return this.#runs.findLast(
      (run) => run.series === series && run.first <= place && place <= run.last,
    );
  }

  #forgetOldRuns(): void {
    const runs = this.#runs.filter(
      ({ lastNumber }) => this.#jobs.placeOf(lastNumber) !== undefined,
    );
    this.#runs = runs.slice(-(RUNS_MAX - 1));
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one === other || equalBytes(one, other);
}
