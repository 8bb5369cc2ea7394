/**
 * Starts the proof of work of a node in the mode that its operator chose.
 */
import { availableParallelism } from 'node:os';
import type { Clock, Log } from 'svc-base/pure';
import { FullPow } from './full-pow.ts';
import { LightPow } from './light-pow.ts';
import type { PowPeriods } from './pow-periods.ts';

export interface PowOptions {
  readonly mode: 'light' | 'full';
  readonly periods: PowPeriods;
  /** The folder of one chain; light mode keeps nothing there. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Threads that make a dataset; all processors but one unless given. */
  readonly threads?: number;
  readonly onProgress?: (fraction: number) => void;
}

export function startPow(options: PowOptions): LightPow | FullPow {
  const { mode, periods, folder, clock, onProgress } = options;
  if (mode === 'light') return new LightPow(periods);
  return new FullPow({
    periods,
    folder,
    clock,
    log: options.log.part('pow'),
    threads: options.threads ?? Math.max(1, availableParallelism() - 1),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
}
