/**
 * Which validators of a development network take part: all of them unless finality is paused or one is to miss
 * cuts.
 */
import type { Validator } from 'svc-consensus/shell';
import type { ChainCore } from '../chain/chain-core.ts';

interface Member {
  readonly driver: Validator;
  /** The height of the last cut that the validator misses. */
  absentThrough: number;
}

export class Presence {
  readonly #chain: ChainCore;
  readonly #members: readonly Member[];
  readonly #stopFollowing: () => void;
  #isPaused = false;

  constructor(chain: ChainCore, drivers: readonly Validator[]) {
    this.#chain = chain;
    this.#members = drivers.map((driver) => ({ driver, absentThrough: 0 }));
    this.#stopFollowing = chain.finalized.on(() => this.#apply());
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  pauseAll(on: boolean): void {
    this.#isPaused = on;
    this.#apply();
  }

  /** Keeps the validator at a place away for so many cuts from now; with 0 it takes part again. */
  missCuts(place: number, cuts: number): void {
    const member = this.#members[place];
    if (member === undefined) throw new RangeError(`there is no validator at place ${place}`);
    member.absentThrough = this.#chain.head.height + cuts;
    this.#apply();
  }

  close(): void {
    this.#stopFollowing();
  }

  #apply(): void {
    const { height } = this.#chain.head;
    for (const { driver, absentThrough } of this.#members) {
      if (this.#isPaused || height < absentThrough) driver.pause();
      else driver.resume();
    }
  }
}
