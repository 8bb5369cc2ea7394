/**
 * The last final cuts in memory, as many as the rules of the next one name: their ids, for the anchors of blocks, and who
 * signed the cut before each, for the turns of proposers. More are not kept, so that a start reads few of them.
 */
import { REGISTRATION_WINDOW_CUTS } from 'svc-ledger';
import type { ChainReader } from 'svc-storage';
import { PAGE_LIMITS } from 'svc-storage';
import { decodeCutHeader } from 'svc-wasm/protocol';

/** The window of anchors is the longest: whose turn it is depends on fewer cuts. */
const RECENT_CUTS = REGISTRATION_WINDOW_CUTS;

export interface RecentCut {
  readonly cutId: string;
  readonly previousSigners: bigint;
}

export class RecentCuts {
  readonly #cuts = new Map<number, RecentCut>();

  static async load(reader: ChainReader, chainId: string): Promise<RecentCuts> {
    const recent = new RecentCuts();
    if (reader.head.height < RECENT_CUTS) recent.add(0, { cutId: chainId, previousSigners: 0n });
    let before: number | undefined;
    while (recent.#cuts.size < RECENT_CUTS) {
      const { rows, next } = await reader.cuts({ before, limit: PAGE_LIMITS.cuts });
      for (const { height, cutId, header } of rows) {
        const { previousSigners } = decodeCutHeader(header);
        recent.#cuts.set(height, { cutId, previousSigners });
      }
      if (next === null) break;
      before = next;
    }
    return recent;
  }

  get(height: number): RecentCut | undefined {
    return this.#cuts.get(height);
  }

  add(height: number, cut: RecentCut): void {
    this.#cuts.set(height, cut);
    this.#cuts.delete(height - RECENT_CUTS);
  }

  /** What the headers of these heights say about who signed; from the first that is missing on, nothing. */
  signers(from: number, to: number): bigint[] {
    const bitmaps: bigint[] = [];
    for (let height = from; height <= to; height++) {
      const cut = this.#cuts.get(height);
      if (cut === undefined) return [];
      bitmaps.push(cut.previousSigners);
    }
    return bitmaps;
  }
}
