/**
 * How far the wallet has read the chain, for its status and its log.
 */
export type ScanPhase = 'waiting_for_node' | 'restoring' | 'catching_up' | 'following';

export interface ScanProgress {
  readonly phase: ScanPhase;
  /** Addresses while restoring, heights while catching up. */
  readonly done: number;
  readonly total: number;
  readonly lastError: string | null;
}

export const NOT_STARTED: ScanProgress = {
  phase: 'waiting_for_node',
  done: 0,
  total: 0,
  lastError: null,
};

export function percentOf({ done, total }: ScanProgress): number {
  return total === 0 ? 100 : Math.floor((100 * done) / total);
}
