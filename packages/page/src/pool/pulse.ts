/**
 * When the documents of a pool are read again, and whether the last reading succeeded. A hidden tab reads nothing.
 */
import { type Signal, signal } from '@preact/signals';
import type { Clock } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { get, readDocument } from '../data/read.ts';
import type { PoolStatistics } from './documents.ts';

export const PULSE_MILLIS = 10_000;
export const AGAIN_MILLIS = 1_000;

export interface PulsePorts {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly isHidden: () => boolean;
  readonly read: () => Promise<PoolStatistics>;
}

/** Reads the statistics of a pool again and again, one reading at a time. */
export class Pulse {
  readonly statistics: Signal<PoolStatistics | undefined> = signal(undefined);
  /** Moves when other documents are to be read again: they are read once before the first answer, and need no second reading for it. */
  readonly beats: Signal<number> = signal(0);
  /** Since when the pool does not answer. */
  readonly lostMillis: Signal<number | undefined> = signal(undefined);
  readonly #ports: PulsePorts;
  /** Prevents the next beat; undefined while one runs. */
  #cancel: (() => void) | undefined;

  constructor(ports: PulsePorts) {
    this.#ports = ports;
  }

  async beat(): Promise<void> {
    this.#cancel = undefined;
    if (!this.#ports.isHidden()) await this.#read();
    const millis = this.lostMillis.value === undefined ? PULSE_MILLIS : AGAIN_MILLIS;
    this.#cancel = this.#ports.clock.after(millis, () => void this.beat());
  }

  /** Reads at once instead of later. A reading under way continues as the only one. */
  hurry(): void {
    if (this.#cancel === undefined) return;
    this.#cancel();
    void this.beat();
  }

  async #read(): Promise<void> {
    try {
      const found = await this.#ports.read();
      const isFirst = this.statistics.value === undefined && this.lostMillis.value === undefined;
      this.statistics.value = found;
      this.lostMillis.value = undefined;
      if (!isFirst) this.beats.value++;
    } catch {
      this.lostMillis.value ??= this.#ports.clock.now();
    }
  }
}

const page = new Pulse({
  clock: SYSTEM_CLOCK,
  isHidden: () => document.visibilityState === 'hidden',
  read: () => readDocument<PoolStatistics>(get('/v1/stats')),
});

export const { statistics, beats: pulse, lostMillis } = page;

/** Begins to read; called once. */
export function startPulse(): void {
  document.addEventListener('visibilitychange', () => page.hurry());
  void page.beat();
}
