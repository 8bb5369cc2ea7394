/**
 * Work over the last ten seconds, minute and quarter of an hour, for rates that people read. Not for money.
 */
const BUCKET_MILLIS = 10_000;
const BUCKETS = 90;

export interface Rates {
  readonly tenSeconds: number;
  readonly minute: number;
  readonly quarter: number;
}

export class WorkMeter {
  readonly #work = new Float64Array(BUCKETS);
  #bucket = -1;

  add(work: bigint, nowMillis: number): void {
    this.#move(nowMillis);
    const at = this.#bucket % BUCKETS;
    this.#work[at] = (this.#work[at] as number) + Number(work);
  }

  /** Hashes in a second, over whole buckets that are past. */
  rates(nowMillis: number): Rates {
    this.#move(nowMillis);
    return { tenSeconds: this.#over(1), minute: this.#over(6), quarter: this.#over(BUCKETS - 1) };
  }

  #over(buckets: number): number {
    let work = 0;
    for (let back = 1; back <= buckets; back++)
      work += this.#work[(this.#bucket - back + BUCKETS) % BUCKETS] as number;
    return Math.round(work / ((buckets * BUCKET_MILLIS) / 1_000));
  }

  #move(nowMillis: number): void {
    const bucket = Math.trunc(nowMillis / BUCKET_MILLIS) + BUCKETS;
    const steps = this.#bucket < 0 ? BUCKETS : Math.min(BUCKETS, bucket - this.#bucket);
    for (let step = 0; step < steps; step++) this.#work[(bucket - step) % BUCKETS] = 0;
    if (bucket > this.#bucket) this.#bucket = bucket;
  }
}
