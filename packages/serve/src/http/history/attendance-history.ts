/**
 * Attendance of the epochs that ended while this node ran; the state keeps that of the running one only. It is
 * for people to look at: nothing is decided by it.
 */
import { type EpochRecord, SINGLE_KEY } from 'svc-ledger';
import type { Chain, FinalizedCut } from '../../ports.ts';

const EPOCHS_MAX = 30;

export class AttendanceHistory {
  readonly #ended: EpochRecord[] = [];
  readonly #stop: () => void;

  constructor(chain: Chain) {
    this.#stop = chain.finalized.on((cut) => this.#recordEnded(cut));
  }

  /** The epochs that ended, newest first. */
  ended(limit: number): readonly EpochRecord[] {
    return this.#ended.slice(0, limit);
  }

  close(): void {
    this.#stop();
  }

  #recordEnded({ result }: FinalizedCut): void {
    for (const change of result.changes) {
      if (change.table !== 'epoch' || change.key !== SINGLE_KEY) continue;
      const { before, after } = change;
      if (before === undefined || before.epoch === after?.epoch) continue;
      this.#ended.unshift(before);
      this.#ended.length = Math.min(this.#ended.length, EPOCHS_MAX);
    }
  }
}
