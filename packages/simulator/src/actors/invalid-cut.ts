/**
 * Proposes cuts that break the rules, and votes for them.
 */
import type { Behaviour } from './behaviour.ts';

export const invalidCut: Behaviour = {
  build: (node, cut) => {
    switch (node.random.integer(0, 2)) {
      case 0:
        return { ...cut, flaw: 'invalid' };
      case 1:
        return { ...cut, timeMs: cut.timeMs - 700n };
      default:
        return { ...cut, parentId: cut.id };
    }
  },
};
