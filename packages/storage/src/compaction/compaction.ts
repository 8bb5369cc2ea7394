/**
 * Gives back the space of pruned records. The engine keeps deleted records in its files until it happens to write
 * those anew, so a store that prunes would stay as large as one that does not. When as much was deleted as half of what
 * is kept, the tables that are pruned are compacted in the background, piece by piece, with a pause after each: a
 * commit waits for one piece at most, and readers for none.
 *
 * A pass that a crash or the end of the process interrupts starts again later. It changes no record.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Compacted, Retention } from '../codec/meta-records.ts';
import type { KeyRange, KeyValueStore } from '../key-value/key-value-store.ts';
import { rangeOf, type StoreTable } from '../layout.ts';
import { piecesOf } from './pieces.ts';

export interface CompactionPace {
  /** Bytes of files that one piece covers at most. */
  readonly pieceBytes: number;
  readonly pauseMillis: number;
}

/** A fifth of a second of work, then a pause: 10 GB in a quarter of an hour. */
const PACE: CompactionPace = { pieceBytes: 16 << 20, pauseMillis: 1_000 };

export class Compaction {
  readonly #store: Pick<KeyValueStore, 'sizeOf' | 'compact'>;
  readonly #pace: CompactionPace;
  readonly #stopping = new AbortController();
  #compacted: Compacted;
  #pass: Promise<void> | undefined;

  constructor(
    store: Pick<KeyValueStore, 'sizeOf' | 'compact'>,
    compacted: Compacted,
    pace: CompactionPace = PACE,
  ) {
    this.#store = store;
    this.#compacted = compacted;
    this.#pace = pace;
  }

  /** What the last completed pass has freed; the next commit records it. */
  get compacted(): Compacted {
    return this.#compacted;
  }

  /** Begins a pass if enough was deleted up to this cut, and none is under way. */
  follow(height: number, retention: Retention): void {
    if (this.#pass !== undefined || this.#stopping.signal.aborted) return;
    if (!isDue(height, retention, this.#compacted)) return;
    this.#pass = this.#run(retention).finally(() => {
      this.#pass = undefined;
    });
  }

  /** Resolves when no pass is under way. */
  async ended(): Promise<void> {
    await this.#pass;
  }

  /** Ends the current pass after its piece; no other begins. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#pass;
  }

  /** A failure is remembered by the store, which refuses the next commit with its words. */
  async #run({ mode, indexedFrom, blocksFrom }: Retention): Promise<void> {
    try {
      for (const range of mode === 'pruned' ? PRUNED_RANGES : FULL_RANGES)
        if (!(await this.#compact(range))) return;
      this.#compacted = { indexedFrom, blocksFrom };
    } catch {
      this.#stopping.abort();
    }
  }

  /**
   * Returns whether all of the range was compacted. The engine brings what it has in memory to its files before it
   * compacts anything, so a compaction of one key comes first: sizes are those of files alone.
   */
  async #compact(range: KeyRange): Promise<boolean> {
    const { signal } = this.#stopping;
    const { pieceBytes, pauseMillis } = this.#pace;
    await this.#store.compact({ from: range.from, to: range.from });
    for await (const piece of piecesOf(this.#store, range, pieceBytes)) {
      if (signal.aborted) return false;
      await this.#store.compact(piece);
      await sleep(pauseMillis, undefined, { ref: false, signal }).catch(() => {});
    }
    return !signal.aborted;
  }
}

/** Whether as much was deleted since the last pass as half of what is kept: blocks, or lists. */
function isDue(height: number, retention: Retention, compacted: Compacted): boolean {
  return (['indexedFrom', 'blocksFrom'] as const).some((what) => {
    const deleted = retention[what] - compacted[what];
    const kept = height + 1 - retention[what];
    return deleted > 0 && 2 * deleted >= kept;
  });
}

/** Tables that are beside each other are compacted as one range. */
function between(first: StoreTable, last: StoreTable): KeyRange {
  return { from: rangeOf(first).from, to: rangeOf(last).to };
}

/** Certificates are thinned in every mode. */
const FULL_RANGES = [between('certificates', 'blockBodies')];
const PRUNED_RANGES = [between('cutBodies', 'blockBodies'), between('history', 'events')];
