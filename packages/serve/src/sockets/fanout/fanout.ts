/**
 * Gives an event to many connections without holding the thread for long: a slice of them at once, the rest
 * in later turns. Events keep their order for every connection.
 */
const SLICE = 512;
/** Beyond so many waiting deliveries all of them are made at once, so that the list stays bounded. */
const WAITING_MAX = 1 << 18;

interface Job {
  readonly size: number;
  readonly deliver: (index: number) => void;
  next: number;
}

export class Fanout {
  readonly #jobs: Job[] = [];
  #waiting = 0;
  #scheduled: NodeJS.Immediate | undefined;

  publish<T>(targets: Iterable<T>, deliver: (target: T) => void): void {
    const list = [...targets];
    if (list.length === 0) return;
    this.#jobs.push({
      size: list.length,
      deliver: (index) => deliver(list[index] as T),
      next: 0,
    });
    this.#waiting += list.length;
    if (this.#waiting > WAITING_MAX) this.#deliver(this.#waiting);
    else if (this.#scheduled === undefined) this.#deliver(SLICE);
  }

  stop(): void {
    clearImmediate(this.#scheduled);
    this.#jobs.length = 0;
    this.#waiting = 0;
  }

  #deliver(most: number): void {
    let left = most;
    for (let job = this.#jobs[0]; job !== undefined && left > 0; job = this.#jobs[0]) {
      const end = Math.min(job.size, job.next + left);
      left -= end - job.next;
      this.#waiting -= end - job.next;
      while (job.next < end) job.deliver(job.next++);
      if (job.next === job.size) this.#jobs.shift();
    }
    clearImmediate(this.#scheduled);
    this.#scheduled =
      this.#jobs.length === 0
        ? undefined
        : setImmediate(() => {
            this.#scheduled = undefined;
            this.#deliver(SLICE);
          });
  }
}
