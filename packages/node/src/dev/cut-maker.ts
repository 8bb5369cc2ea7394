/**
 * Makes cuts of a development network come when they are asked for: the clock jumps to the time of the next
 * one, and stands still in between if cuts are made by hand only.
 */
import type { ChainCore } from '../chain/chain-core.ts';
import type { DevClock } from './dev-clock.ts';

/** Time for the validators to finish a height before the clock jumps to the next. */
const SETTLE_MILLIS = 3;

export class CutMaker {
  readonly #chain: ChainCore;
  readonly #clock: DevClock;
  readonly #isManual: boolean;
  readonly #stop: () => void;
  readonly #waiting = new Set<{ readonly height: number; readonly resolve: () => void }>();
  #wanted = 0;
  #isHasty = false;

  constructor(chain: ChainCore, clock: DevClock, isManual: boolean) {
    this.#chain = chain;
    this.#clock = clock;
    this.#isManual = isManual;
    this.#stop = chain.finalized.on(({ height }) => this.#onCut(height));
    if (isManual) clock.stand();
  }

  /** Resolves when the chain has reached the height. */
  async reach(height: number): Promise<number> {
    if (this.#chain.head.height >= height) return this.#chain.head.height;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add({ height, resolve });
    this.#wanted = Math.max(this.#wanted, height);
    this.#clock.resume();
    this.#hurry();
    await promise;
    return this.#chain.head.height;
  }

  /**
   * Lets each cut follow at once, for as long as nothing else has to happen in between: other validators could miss cuts, and
   * a miner would find its work stale.
   */
  hasten(on: boolean): void {
    this.#isHasty = on;
  }

  close(): void {
    this.#stop();
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #onCut(height: number): void {
    for (const wish of this.#waiting) {
      if (wish.height > height) continue;
      this.#waiting.delete(wish);
      wish.resolve();
    }
    if (height < this.#wanted) this.#hurrySoon();
    else if (this.#isManual) this.#clock.stand();
  }

  #hurrySoon(): void {
    if (this.#isHasty) setImmediate(() => this.#hurry());
    else setTimeout(() => this.#hurry(), SETTLE_MILLIS);
  }

  #hurry(): void {
    if (this.#chain.head.height >= this.#wanted) return;
    this.#clock.jumpTo(Number(this.#chain.next.startAtMs));
  }
}
