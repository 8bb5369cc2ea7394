/**
 * The attendance that nodes compute equals a recount from the cuts themselves.
 */
import { isBitSet } from 'svc-consensus/machine';
import type { Checker } from './checker.ts';

export function attendance(): Checker {
  return {
    atEnd(world) {
      const node = world.honest[0];
      if (node === undefined) return;
      const { chain } = node.disk;
      const { cuts, attendance: rule } = world.plan.epochs;
      const epochStart = Math.floor((chain.length - 1) / cuts) * cuts + 1;
      const members = world.chain.trueEpoch(epochStart).holders.length;
      for (let seat = 0; seat < members; seat++)
        for (let window = 0; window < rule.windows; window++) {
          let named = 0;
          for (const { cut } of chain) {
            const from = epochStart + window * rule.cutsPerWindow;
            const isInside = cut.height >= from && cut.height < from + rule.cutsPerWindow;
            if (isInside && cut.height > epochStart && isBitSet(cut.previousSigners, seat)) named++;
          }
          const counted = node.chainState.attendance.counts[window]?.[seat];
          if (counted !== named)
            world.fail('attendance', `seat ${seat}, window ${window}: ${counted}, not ${named}`);
        }
    },
  };
}
