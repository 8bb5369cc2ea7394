/**
 * The nodes of the list of all cut ids (`docs/protocol.md` 8.8), from which paths from a header to any earlier cut are
 * made. They are one after another in the order in which they become complete, 48 bytes each and at most two for a cut,
 * are never changed, and follow from the ids alone: what a crash loses of them is made again.
 */
import { concatBytes } from 'svc-wasm/base';
import {
  appendHistory,
  type HistoryPeaks,
  hashLabel,
  type ListProof,
  listNode,
  peakCount,
  proveLeaves,
} from 'svc-wasm/protocol';
import { ID_BYTES } from '../codec/sizes.ts';

/** Where the nodes are kept. Writes need not be durable. */
export interface NodeBytes {
  readonly length: number;
  read(at: number, bytes: number): Uint8Array;
  append(bytes: Uint8Array): void;
  truncate(length: number): void;
  close(): void;
}

export class HistoryNodes {
  readonly #bytes: NodeBytes;
  #count: number;
  #peaks: HistoryPeaks;

  /** Nodes that are not complete, as a crash leaves them, are cut off. */
  constructor(bytes: NodeBytes) {
    this.#bytes = bytes;
    this.#count = countOf(Math.floor(bytes.length / ID_BYTES));
    bytes.truncate(nodesOf(this.#count) * ID_BYTES);
    this.#peaks = this.#readPeaks();
  }

  /** How many cut ids are here, from the chain id on. */
  get count(): number {
    return this.#count;
  }

  get peaks(): HistoryPeaks {
    return this.#peaks;
  }

  append(cutIds: readonly Uint8Array[]): void {
    const nodes: Uint8Array[] = [];
    for (const cutId of cutIds) {
      const keep = (node: Uint8Array): void => void nodes.push(node);
      this.#peaks = appendHistory(hashLabel, this.#count, this.#peaks, cutId, keep);
      this.#count++;
    }
    this.#bytes.append(concatBytes(...nodes));
  }

  /** The ids at these heights, which ascend; those of consecutive heights in one read. */
  ids(heights: readonly number[]): Uint8Array[] {
    const [first = 0, last = 0] = [heights.at(0), heights.at(-1)];
    if (last - first >= heights.length) return heights.flatMap((height) => this.ids([height]));
    const start = nodesOf(first);
    const length = nodesOf(last) + 1 - start;
    const bytes = this.#bytes.read(start * ID_BYTES, length * ID_BYTES);
    return heights.map((height) => {
      const at = (nodesOf(height) - start) * ID_BYTES;
      return bytes.slice(at, at + ID_BYTES);
    });
  }

  /** Forgets all but the first so many ids. */
  truncate(count: number): void {
    if (count >= this.#count) return;
    this.#bytes.truncate(nodesOf(count) * ID_BYTES);
    this.#count = count;
    this.#peaks = this.#readPeaks();
  }

  /** Proves the ids at these positions, which ascend, in the list of the first `count`. */
  prove(count: number, positions: readonly number[]): ListProof {
    return proveLeaves(count, positions, (first, end) => this.#nodeOver(first, end));
  }

  close(): void {
    this.#bytes.close();
  }

  #readPeaks(): HistoryPeaks {
    const peaks: Uint8Array[] = [];
    for (let first = 0; first < this.#count; ) {
      const length = largestPower(this.#count - first);
      peaks.push(this.#nodeOver(first, first + length));
      first += length;
    }
    return peaks;
  }

  /** A range of the list is perfect, or falls into a perfect one and the rest. */
  #nodeOver(first: number, end: number): Uint8Array {
    const length = end - first;
    const perfect = largestPower(length);
    if (perfect === length) return this.#bytes.read(positionOf(end, length) * ID_BYTES, ID_BYTES);
    return listNode(this.#nodeOver(first, first + perfect), this.#nodeOver(first + perfect, end));
  }
}

/** How many nodes the first so many ids complete. */
function nodesOf(count: number): number {
  return 2 * count - peakCount(count);
}

/** The largest number of ids whose nodes are there. */
function countOf(nodes: number): number {
  let count = Math.ceil(nodes / 2);
  while (nodesOf(count + 1) <= nodes) count++;
  while (nodesOf(count) > nodes) count--;
  return count;
}

/** The position of the root of the perfect tree that ends before a leaf: its last leaf is followed by the nodes that it completes. */
function positionOf(end: number, length: number): number {
  return nodesOf(end - 1) + Math.log2(length);
}

function largestPower(length: number): number {
  let power = 1;
  while (power * 2 <= length) power *= 2;
  return power;
}
