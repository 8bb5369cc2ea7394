/**
 * One decision per height, of a cut that follows the rules, on top of the one before.
 */
import type { CutId } from 'svc-finality';
import type { Checker } from './checker.ts';
import { areSignersTrue } from './truth.ts';

export function agreement(): Checker {
  const decisions = new Map<number, CutId>();
  return {
    onDecision(world, node, cut) {
      const known = decisions.get(cut.height);
      decisions.set(cut.height, cut.id);
      if (known !== undefined && known !== cut.id)
        world.fail('agreement', `height ${cut.height}: ${known} and ${cut.id}`);
      if (cut.flaw !== 'none' || !areSignersTrue(world, cut))
        world.fail('agreement', `height ${cut.height} decided with the bad cut ${cut.id}`);
      if (cut.height !== node.disk.chain.length)
        world.fail('agreement', `validator ${node.index} decided height ${cut.height} out of turn`);
    },
  };
}
