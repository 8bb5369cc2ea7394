/**
 * When the documents of a pool are read again, and whether the last reading succeeded. A tab that nobody sees reads nothing.
 */
import { signal } from '@preact/signals';
import { get, readDocument } from '../data/read.ts';
import type { PoolStatistics } from './documents.ts';

const PULSE_MILLIS = 10_000;
const AGAIN_MILLIS = 1_000;

export const statistics = signal<PoolStatistics | undefined>(undefined);
/** Moves with each reading that succeeded. */
export const pulse = signal(0);
/** Since when the pool does not answer. */
export const lostMillis = signal<number | undefined>(undefined);

async function beat(): Promise<void> {
  if (document.visibilityState !== 'hidden') {
    try {
      statistics.value = await readDocument<PoolStatistics>(get('/v1/stats'));
      lostMillis.value = undefined;
      pulse.value++;
    } catch {
      lostMillis.value ??= Date.now();
    }
  }
  const isLost = lostMillis.value !== undefined;
  timer = setTimeout(() => void beat(), isLost ? AGAIN_MILLIS : PULSE_MILLIS);
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Begins to read; called once. */
export function startPulse(): void {
  document.addEventListener('visibilitychange', () => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    void beat();
  });
  void beat();
}
