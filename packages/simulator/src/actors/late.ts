/**
 * Says the right things to some and nothing to others, so that quorums form on one side only.
 */
import type { Behaviour } from './behaviour.ts';

export const late: Behaviour = {
  outgoing: (node, to, message) => (node.random.chance(to % 2 === 0 ? 0.2 : 0.9) ? [message] : []),
};
