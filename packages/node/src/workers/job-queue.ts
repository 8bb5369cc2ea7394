/**
 * Jobs that wait for a worker, in three lines: a lower line is served only while the ones above are empty.
 * Every line has an end; what does not fit is refused at once.
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
  /** How many workers have died with it. */
  deaths: number;
  readonly resolve: (refusal: SignatureRefusal | null) => void;
  readonly reject: (error: Error) => void;
}

export interface BatchLimits {
  readonly jobs: number;
  /** A worker is busy for a few milliseconds with this much; what is urgent waits no longer. */
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

  /** In front of all others. */
  putBack(jobs: readonly Job[]): void {
    this.#jobs = [...jobs, ...this.#jobs.slice(this.#first)];
    this.#first = 0;
    for (const { bytes } of jobs) this.bytes += bytes;
  }

  take(): Job {
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

  /** Jobs that a worker died with come before all others of their line. */
  putBack(jobs: readonly Job[]): void {
    for (const priority of PRIORITIES) {
      const own = jobs.filter((job) => job.priority === priority);
      if (own.length > 0) this.#lines[priority].putBack(own);
    }
  }

  /** Jobs of one kind from the first line that has any; one that a worker died with goes alone. */
  takeBatch(limits: BatchLimits): Job[] {
    const line = PRIORITIES.map((priority) => this.#lines[priority]).find(
      ({ length }) => length > 0,
    );
    if (line === undefined) return [];
    const batch = [line.take()];
    const [first] = batch as [Job];
    let bytes = first.bytes;
    for (;;) {
      const next = line.peek();
      if (first.deaths > 0 || next === undefined || next.deaths > 0) return batch;
      if (next.kind !== first.kind || batch.length >= limits.jobs) return batch;
      if (bytes + next.bytes > limits.bytes) return batch;
      bytes += next.bytes;
      batch.push(line.take());
    }
  }

  takeAll(): Job[] {
    return PRIORITIES.flatMap((priority) => {
      const line = this.#lines[priority];
      return Array.from({ length: line.length }, () => line.take());
    });
  }
}
