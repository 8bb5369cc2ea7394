/**
 * Keeps a validator from signing before its chain has reached the height that others show. Data restored from
 * an old copy is consistent in itself; only others know that the key has signed since.
 */
import type { Clock, Log } from 'svc-base/pure';

export interface StartWatchOptions {
  /** Whether another validator is connected, and none is ahead. */
  readonly isCurrent: () => boolean;
  readonly onCurrent: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

const LOOK_MILLIS = 100;
/**
 * Checks in a row that must find the chain current. A claimed height makes a check fail only for a limited time: the
 * node stops counting claims that no peer proves.
 */
const CALM_LOOKS = 10;
const WARN_LOOKS = 300;

export class StartWatch {
  readonly #options: StartWatchOptions;
  #looks = 0;
  #calm = 0;
  #cancel: () => void = () => {};

  constructor(options: StartWatchOptions) {
    this.#options = options;
    this.#later();
  }

  close(): void {
    this.#cancel();
  }

  #later(): void {
    this.#cancel = this.#options.clock.after(LOOK_MILLIS, () => this.#look());
  }

  #look(): void {
    const { isCurrent, onCurrent, log } = this.#options;
    this.#calm = isCurrent() ? this.#calm + 1 : 0;
    if (this.#calm >= CALM_LOOKS) {
      onCurrent();
      return;
    }
    if (++this.#looks % WARN_LOOKS === 0)
      log.warn(
        {},
        'nothing is signed yet: no peer shows that the chain here is the newest, or a new record waits for a seat',
      );
    this.#later();
  }
}
