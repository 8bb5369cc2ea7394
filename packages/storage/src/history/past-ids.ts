/**
 * The ids of all cuts before the head, as the nodes of their list (`docs/protocol.md` 8.8). What is missing follows from the cuts
 * that the store has. A store that began with the state of a cut has none before it: their ids come from peers, each page proven
 * under the root that the header of the first cut names. The complete list must have the peaks of the state, or it is made anew.
 */
import { type PastCutsRecord, SINGLE_KEY } from 'svc-ledger';
import { equalBytes, fromHex } from 'svc-wasm/base';
import { checkLeaves, decodeCutHeader, type LeavesProof } from 'svc-wasm/protocol';
import { unpacked } from '../codec/codec.ts';
import type { Head } from '../codec/meta-records.ts';
import { STATE_CODECS } from '../codec/state-records.ts';
import type { KeyValueReader } from '../key-value/key-value-store.ts';
import { readCut } from '../reader/cut-reader.ts';
import { stateKey } from '../state/state-keys.ts';
import type { HistoryNodes } from './history-nodes.ts';

/** Ids from a height on that are missing in the list of the first `height` ids, which has this root. */
export interface MissingIds {
  readonly height: number;
  readonly from: number;
  readonly root: Uint8Array;
}

export class PastIds {
  readonly #nodes: HistoryNodes;
  readonly #reader: KeyValueReader;
  readonly #chainId: string;
  #head: Head | null;
  /** The first cut whose header is here. */
  #firstHeight: number;

  constructor(
    nodes: HistoryNodes,
    reader: KeyValueReader,
    chain: { readonly id: string; readonly head: Head | null; readonly firstHeight: number },
  ) {
    this.#nodes = nodes;
    this.#reader = reader;
    this.#chainId = chain.id;
    this.#head = chain.head;
    this.#firstHeight = chain.firstHeight;
    nodes.truncate(chain.head?.height ?? 0);
    this.#fill();
  }

  /** How many ids peers must be asked for. */
  get left(): number {
    return this.#firstHeight > 1 ? Math.max(0, this.#firstHeight - this.#nodes.count) : 0;
  }

  /** What peers must be asked for; undefined if nothing. */
  get missing(): MissingIds | undefined {
    const [height, from] = [this.#firstHeight, this.#nodes.count];
    const header = this.left > 0 ? readCut(this.#reader, height)?.header : undefined;
    return header && { height, from, root: decodeCutHeader(header).historyRoot };
  }

  /** Takes the new head over, and how far down the store has cuts. */
  follow(head: Head, firstHeight: number): void {
    const before = this.#head;
    if (before?.height === head.height - 1 && this.#nodes.count === before.height)
      this.#nodes.append([fromHex(before.cutId)]);
    this.#head = head;
    if (firstHeight === this.#firstHeight) return;
    this.#firstHeight = firstHeight;
    if (this.#nodes.count < head.height && this.left === 0) this.#fill();
  }

  /** Adds ids that were proven under the root of what is missing; not if they no longer are the next ones. */
  add(from: number, ids: readonly Uint8Array[]): void {
    if (from !== this.#nodes.count) return;
    this.#nodes.append(ids);
    // The others follow from the cuts that are here.
    if (this.left === 0) this.#fill();
  }

  /**
   * Proves the ids of earlier cuts under the root in the header at a height, up to the head; heights ascend. Undefined where the ids
   * of all earlier cuts are not here. Nodes that a disk has corrupted lead to another root: all are dropped, and the next start makes
   * them again. So no client and no peer receives a proof that does not hold.
   */
  prove(height: number, earlier: readonly number[]): LeavesProof<Uint8Array> | undefined {
    const header = readCut(this.#reader, height)?.header;
    if (this.#nodes.count < height || header === undefined) return undefined;
    const list = this.#nodes.prove(height, earlier);
    const leaves = this.#nodes.ids(earlier);
    try {
      checkLeaves(list, leaves, decodeCutHeader(header).historyRoot);
      return { list, leaves };
    } catch {
      this.#nodes.truncate(0);
      return undefined;
    }
  }

  close(): void {
    this.#nodes.close();
  }

  #fill(): void {
    const height = this.#head?.height ?? 0;
    this.#append(height);
    if (this.#nodes.count < height || this.#hasPeaks()) return;
    this.#nodes.truncate(0);
    this.#append(height);
  }

  #append(height: number): void {
    while (this.#nodes.count < height) {
      const { count } = this.#nodes;
      const id = count === 0 ? this.#chainId : readCut(this.#reader, count)?.cutId;
      if (id === undefined) return;
      this.#nodes.append([fromHex(id)]);
    }
  }

  #hasPeaks(): boolean {
    const { peaks } = this.#nodes;
    const record = this.#reader.getSync(stateKey('pastCuts', SINGLE_KEY));
    const expected: PastCutsRecord['peaks'] =
      record === undefined ? [] : unpacked(STATE_CODECS.pastCuts, record, 'pastCuts').peaks;
    return (
      expected.length === peaks.length &&
      expected.every((peak, at) => equalBytes(peak, peaks[at] as Uint8Array))
    );
  }
}
