/**
 * The list of all cut ids, which only grows: its peaks, one for each bit of its length, are enough to append to it and
 * to know its root; `docs/protocol.md` 8.8. The leaf of a cut is its id, and the first leaf is the chain id.
 */
import type { Label } from '../base/labels.ts';
import { LABELS } from '../base/labels.ts';
import { Writer } from '../base/writer.ts';

/** Roots of perfect trees, the largest and oldest first. */
export type HistoryPeaks = readonly Uint8Array[];

type Hash = (label: Label, ...parts: readonly Uint8Array[]) => Uint8Array;

/**
 * The peaks of the list with one more id behind the first `count`. `onNode` is given every node that this completes,
 * from the leaf upwards.
 */
export function appendHistory(
  hash: Hash,
  count: number,
  peaks: HistoryPeaks,
  cutId: Uint8Array,
  onNode: (node: Uint8Array) => void = () => {},
): HistoryPeaks {
  const kept = [...peaks];
  let node = cutId;
  onNode(node);
  for (let rest = count; rest % 2 === 1; rest = (rest - 1) / 2) {
    node = hash(LABELS.list, kept.pop() as Uint8Array, node);
    onNode(node);
  }
  return [...kept, node];
}

/** The root of the list of the first `count` ids, which the header at that height names. */
export function historyRoot(hash: Hash, count: number, peaks: HistoryPeaks): Uint8Array {
  const tree = peaks.reduceRight((right, left) => hash(LABELS.list, left, right));
  return hash(LABELS.listRoot, new Writer(8).u64(BigInt(count)).finish(), tree);
}

/** How many peaks the list of the first `count` ids has. */
export function peakCount(count: number): number {
  let peaks = 0;
  for (let rest = count; rest > 0; rest = Math.floor(rest / 2)) peaks += rest % 2;
  return peaks;
}
