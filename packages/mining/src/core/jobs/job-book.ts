/**
 * The server's own copy of every job that it gave out: shares are checked against it and never against what a miner
 * sends. A job ends by height, when the registration window of its anchor closes; clocks do not count. Nonces are
 * remembered for as long as their job, so that a share counts once, over which connection it ever comes.
 */
import { HEADER_BYTES, NONCE_OFFSET } from '../wire/limits.ts';

/** Jobs that replace each other: those of one payout address and tag. */
export class JobSeries {
  #next = 0;

  nextPlace(): number {
    return this.#next++;
  }
}

/** The position of a job among the jobs that replace each other. */
export interface JobPlace {
  readonly series: JobSeries;
  readonly place: number;
}

export interface Job {
  readonly number: number;
  /** The header with a nonce of zeros. */
  readonly header: Uint8Array;
  readonly blockTarget: Uint8Array;
  /** Height of the head when the job was made; the anchor may be up to 94 cuts older. */
  readonly height: number;
  readonly anchorHeight: number;
  /** The first height at which a block of this job can no longer be registered. */
  readonly expiresHeight: number;
  /** The period of the dataset that the anchor is hashed with. */
  readonly period: number;
}

export type JobState = 'open' | 'used' | 'stale';

export interface JobBookOptions {
  /** Number of the first job; random in a server, so that jobs of an earlier start are unknown. */
  readonly first?: number;
  readonly jobsMax?: number;
  /** Nonces that are remembered for all jobs together. */
  readonly noncesMax?: number;
}

interface Entry extends JobPlace {
  readonly job: Job;
  readonly nonces: Set<string>;
  /** The height at which a block was found with the job's body; a body serves for one block. */
  usedAt: number | undefined;
}

const JOBS_MAX = 65_536;
/** Jobs that ended last: shares of them are late, and shares of unknown jobs are lies. */
const ENDED_MAX = 65_536;
const NONCES_MAX = 2_000_000;
const NUMBERS = 2 ** 32;

export class JobBook {
  readonly #entries = new Map<number, Entry>();
  readonly #ended = new Map<number, JobPlace>();
  readonly #jobsMax: number;
  readonly #noncesMax: number;
  #next: number;
  #height = 0;
  #nonces = 0;

  constructor({ first = 0, jobsMax = JOBS_MAX, noncesMax = NONCES_MAX }: JobBookOptions = {}) {
    this.#next = first % NUMBERS;
    this.#jobsMax = jobsMax;
    this.#noncesMax = noncesMax;
  }

  get size(): number {
    return this.#entries.size;
  }

  get height(): number {
    return this.#height;
  }

  /** Writes a job down and numbers it. Of too many, the oldest is forgotten. */
  add(job: Omit<Job, 'number' | 'height'>, series: JobSeries): Job {
    const number = this.#next;
    this.#next = (number + 1) % NUMBERS;
    const entry: Entry = {
      job: { ...job, number, height: this.#height },
      series,
      place: series.nextPlace(),
      nonces: new Set(),
      usedAt: undefined,
    };
    this.#entries.set(number, entry);
    for (const oldest of this.#entries.values()) {
      if (this.#entries.size <= this.#jobsMax) break;
      this.#end(oldest);
    }
    return entry.job;
  }

  get(number: number): Job | undefined {
    return this.#entries.get(number)?.job;
  }

  /** Also of a job that ended not long ago. */
  placeOf(number: number): JobPlace | undefined {
    return this.#entries.get(number) ?? this.#ended.get(number);
  }

  stateOf(job: Job): JobState {
    const entry = this.#entries.get(job.number);
    if (entry === undefined || isClosed(job, this.#height)) return 'stale';
    if (entry.usedAt === undefined) return 'open';
    return entry.usedAt < this.#height ? 'stale' : 'used';
  }

  /** A block was found with the body of this job: it cannot give a second one, and its shares end with the next cut. */
  markUsed(job: Job): void {
    const entry = this.#entries.get(job.number);
    if (entry !== undefined) entry.usedAt ??= this.#height;
  }

  /** Remembers a nonce: false if it was there before, undefined if no more can be remembered. */
  remember(job: Job, nonce: Uint8Array): boolean | undefined {
    const entry = this.#entries.get(job.number);
    if (entry === undefined) return undefined;
    const key = keyOf(nonce);
    if (entry.nonces.has(key)) return false;
    if (this.#nonces >= this.#noncesMax) return undefined;
    entry.nonces.add(key);
    this.#nonces++;
    return true;
  }

  /** Releases a nonce that was not checked after all. */
  forget(job: Job, nonce: Uint8Array): void {
    if (this.#entries.get(job.number)?.nonces.delete(keyOf(nonce)) === true) this.#nonces--;
  }

  /** The finalized head has moved; returns how many jobs ended. A height that goes back changes nothing. */
  advance(height: number): number {
    if (height <= this.#height) return 0;
    this.#height = height;
    let ended = 0;
    for (const entry of this.#entries.values()) {
      if (!isClosed(entry.job, height)) continue;
      this.#end(entry);
      ended++;
    }
    return ended;
  }

  /** Ends a job before its window does, since a block of it could not be sent any more. */
  end(number: number): void {
    const entry = this.#entries.get(number);
    if (entry !== undefined) this.#end(entry);
  }

  #end({ job: { number }, series, place, nonces }: Entry): void {
    this.#nonces -= nonces.size;
    this.#entries.delete(number);
    this.#ended.delete(number);
    this.#ended.set(number, { series, place });
    for (const oldest of this.#ended.keys()) {
      if (this.#ended.size <= ENDED_MAX) break;
      this.#ended.delete(oldest);
    }
  }
}

/** The next cut is the first that could register the block. */
export function isClosed({ expiresHeight }: Job, height: number): boolean {
  return height + 1 >= expiresHeight;
}

/** The header to be hashed for a nonce of 24 bytes. */
export function headerWith({ header }: Pick<Job, 'header'>, nonce: Uint8Array): Uint8Array {
  const filled = new Uint8Array(HEADER_BYTES);
  filled.set(header);
  filled.set(nonce, NONCE_OFFSET);
  return filled;
}

function keyOf(nonce: Uint8Array): string {
  return String.fromCharCode(...nonce);
}
