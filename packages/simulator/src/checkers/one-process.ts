/**
 * Of two processes of one honest key, one of which was started from a copy of the other's disk, no two sign at the same height, and
 * one that signs after the other is the last to sign, a silence after the last signature of the other that its chain shows. A process that does not wait for its chain any more, and whose chain showed a signature
 * that is newer than its start and not in its record, has stopped.
 */
import { decodeSignState, isBitSet, type SignState } from 'svc-consensus/machine';
import type { Node } from '../node/node.ts';
import type { Checker, WatchedWorld } from './checker.ts';

/** What clocks may differ by. */
const MARGIN_MS = 10_000;

export function oneProcess(): Checker {
  /** By height: the process that signed there. */
  const signers = new Map<number, number>();
  /** By process: the last height in its record when its chain grew last. */
  const recorded = new Map<number, number>();
  return {
    onSigned(world, node, { height }) {
      const { index, instance } = node;
      if (index !== world.plan.copied?.index) return;
      const other = signers.get(height);
      if (other === instance) return;
      signers.set(height, instance);
      if (other !== undefined)
        world.fail('oneProcess', `both processes of validator ${index} signed at height ${height}`);
      const isForeign = (at: number) =>
        at > (recorded.get(instance) ?? 0) && (signers.get(at) ?? instance) !== instance;
      if (isForeignShown(world, node, height, isForeign))
        world.fail(
          'oneProcess',
          `validator ${index} signed at ${height}, soon after the other one`,
        );
      if (changesOf(signers) > 1)
        world.fail('oneProcess', `both processes of validator ${index} sign in turn`);
    },
    onDecision(world, node) {
      if (node.index !== world.plan.copied?.index) return;
      const bytes = node.disk.signState.read();
      const record = bytes === undefined ? undefined : decodeSignState(bytes);
      if (record === undefined) return;
      recorded.set(node.instance, record.last?.height ?? 0);
      checkStopped(world, node, record);
    },
  };
}

/** Whether the chain of a process shows that the other one signed at one of the cuts before a height for which a silence lasts. */
function isForeignShown(
  world: WatchedWorld,
  { index, disk }: Node,
  height: number,
  isForeign: (height: number) => boolean,
): boolean {
  for (let next = disk.chain.length; next > height - world.protocol.keyRules.silentCuts; next--) {
    const signed = next - 1;
    const own = world.chain.seatOf(Math.max(1, signed), index) ?? -1;
    const cut = disk.chain[next - 1]?.cut;
    const isNamed = cut !== undefined && isBitSet(cut.previousSigners, own);
    if (isNamed && isForeign(signed)) return true;
  }
  return false;
}

/** How often one process follows the other, in the order of heights. */
function changesOf(signers: ReadonlyMap<number, number>): number {
  const inOrder = [...signers].sort(([a], [b]) => a - b).map(([, instance]) => instance);
  return inOrder.filter((instance, at) => at > 0 && instance !== inOrder[at - 1]).length;
}

function checkStopped(world: WatchedWorld, node: Node, record: SignState): void {
  if (record.stopped || !node.up) return;
  const { chain } = node.disk;
  // The silence was counted from a current head: the headers up to it name signers of earlier cuts.
  const through = record.silentThrough - world.protocol.keyRules.silentCuts;
  if (through > chain.length) return;
  for (let height = through - 1; height > (record.last?.height ?? 0); height--) {
    const signed = chain[height - 1]?.cut;
    const next = chain[height]?.cut;
    if (signed === undefined || next === undefined) continue;
    if (Number(signed.timeMs) <= node.startedAtMs + MARGIN_MS) return;
    if (isBitSet(next.previousSigners, world.chain.seatOf(height, node.index) ?? -1))
      world.fail(
        'oneProcess',
        `validator ${node.index} saw a new signature at ${height}, and waits`,
      );
  }
}
