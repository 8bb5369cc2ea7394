/**
 * Names signers of the previous cut that did not sign, or leaves out so many that no quorum is left.
 */
import { bitOf } from 'svc-consensus/machine';
import type { Behaviour } from './behaviour.ts';

export const bogusBitmap: Behaviour = {
  build(node, cut) {
    const members = node.state.context.set.stakes.length;
    const invented = node.random.chance(0.7);
    const everybody = (1n << BigInt(members)) - 1n;
    const previousSigners = invented ? everybody : bitOf(node.seatAt(cut.height));
    return { ...cut, previousSigners };
  },
};
