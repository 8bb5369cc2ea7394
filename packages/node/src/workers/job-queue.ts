/**
 * Jobs that wait for a worker, in three lines: a lower line is served only while the lines above are empty.
 * Every line has a limit of bytes; the caller waits for room first.
 */
import type { JobKind, SignatureRefusal } from './thread-messages.ts';

/** Messages of the committee, transactions of blocks, transactions that were submitted. */
export const PRIORITIES = ['consensus', 'block', 'submission'] as const;
export type Priority = (typeof PRIORITIES)[number];

export interface Job {
  readonly kind: JobKind;
  readonly priority: Priority;
  readonly parts: readonly Uint8Array[];
  readonly bytes: number;
  /** The number of workers that died while they had this job. */
  deaths: number;
  readonly resolve: (refusal: SignatureRefusal | null) => void;
  readonly reject: (error: Error) => void;
}

export interface BatchLimits {
  readonly jobs: number;
  /** So few that a worker is busy for milliseconds only: an urgent job waits no longer than that. */
  readonly bytes: number;
}

class Line {
  #jobs: Job[] = [];
  #first = 0;
  bytes = 0;

  get length(): number {
    return this.#jobs.length - this.#first;
  }

  peek(): Job | undefined {
    return this.#jobs[this.#first];
  }

  push(job: Job): void {
    this.#jobs.push(job);
    this.bytes += job.bytes;
  }

  /** Puts jobs in front of all others. */
  putBack(jobs: readonly Job[]): void {
    this.#jobs = [...jobs, ...this.#jobs.slice(this.#first)];
    this.#first = 0;
    for (const { bytes } of jobs) this.bytes += bytes;
  }

  shift(): Job {
    const job = this.#jobs[this.#first++] as Job;
    this.bytes -= job.bytes;
    if (this.#first > 1_024 && this.#first > this.#jobs.length / 2) {
      this.#jobs = this.#jobs.slice(this.#first);
      this.#first = 0;
    }
    return job;
  }
}

export class JobQueue {
  readonly #lines: Readonly<Record<Priority, Line>> = {
    consensus: new Line(),
    block: new Line(),
    submission: new Line(),
  };
  readonly #lineBytesMax: number;

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax;
  }

  get length(): number {
    return PRIORITIES.reduce((sum, priority) => sum + this.#lines[priority].length, 0);
  }

  lengthOf(priority: Priority): number {
    return this.#lines[priority].length;
  }

  hasRoom(priority: Priority): boolean {
    return this.#lines[priority].bytes < this.#lineBytesMax;
  }

  push(job: Job): void {
    this.#lines[job.priority].push(job);
  }

  /** Puts jobs that a dead worker had in front of all others of their line. */
  putBack(jobs: readonly Job[]): void {
    for (const priority of PRIORITIES) {
      const own = jobs.filter((job) => job.priority === priority);
      if (own.length > 0) this.#lines[priority].putBack(own);
    }
  }

  /** Removes jobs of one kind from the first line that has any; a job with which a worker died goes alone. */
  takeBatch(limits: BatchLimits): Job[] {
    const line = PRIORITIES.map((priority) => this.#lines[priority]).find(
      ({ length }) => length > 0,
    );
    if (line === undefined) return [];
    const batch = [line.shift()];
    const [first] = batch as [Job];
    let bytes = first.bytes;
    for (;;) {
      const next = line.peek();
      if (first.deaths > 0 || next === undefined || next.deaths > 0) return batch;
      if (next.kind !== first.kind || batch.length >= limits.jobs) return batch;
      if (bytes + next.bytes > limits.bytes) return batch;
      bytes += next.bytes;
      batch.push(line.shift());
    }
  }

  takeAll(): Job[] {
    return PRIORITIES.flatMap((priority) => {
      const line = this.#lines[priority];
      return Array.from({ length: line.length }, () => line.shift());
    });
  }
}
