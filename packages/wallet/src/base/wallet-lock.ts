/**
 * One operation at a time decides what is spent. Others wait their turn for a while; who would wait too long
 * is told that the wallet is busy.
 */
import type { Clock } from './clock.ts';
import { WalletError } from './wallet-error.ts';

const WAITING_MAX = 256;
const WAIT_MILLIS_MAX = 5_000;

export class WalletLock {
  readonly #clock: Clock;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= WAITING_MAX) throw busy();
    const turn = this.#last;
    let release: () => void = () => {};
    this.#last = new Promise((resolve) => {
      release = resolve;
    });
    this.#waiting++;
    try {
      await this.#await(turn);
      return await work();
    } finally {
      this.#waiting--;
      void turn.then(release);
    }
  }

  async #await(turn: Promise<void>): Promise<void> {
    const waited = new AbortController();
    const isLate = await Promise.race([
      turn.then(() => false),
      this.#clock.sleep(WAIT_MILLIS_MAX, waited.signal).then(() => true),
    ]);
    waited.abort();
    if (isLate) throw busy();
  }
}

function busy(): WalletError {
  return new WalletError('wallet_busy', 'another operation holds the wallet');
}
