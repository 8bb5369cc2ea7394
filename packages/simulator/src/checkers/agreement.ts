/**
 * One decision per height, of a cut that follows the rules, on top of the one before.
 */
import type { CutId } from 'svc-consensus/machine';
import { GENESIS_ID } from '../world/cut.ts';
import type { Checker } from './checker.ts';
import { areSignersTrue } from './truth.ts';

export function agreement(): Checker {
  const decisions = new Map<number, CutId>([[0, GENESIS_ID]]);
  return {
    onDecision(world, node, cut) {
      const known = decisions.get(cut.height);
      decisions.set(cut.height, cut.id);
      if (known !== undefined && known !== cut.id)
        world.fail('agreement', `height ${cut.height}: ${known} and ${cut.id}`);
      const follows = cut.parentId === decisions.get(cut.height - 1);
      if (cut.flaw !== 'none' || !follows || !areSignersTrue(world, cut))
        world.fail('agreement', `height ${cut.height} decided with the bad cut ${cut.id}`);
      if (cut.height !== node.disk.chain.length)
        world.fail('agreement', `validator ${node.index} decided height ${cut.height} out of turn`);
    },
  };
}
