/**
 * Two honest processes with one key. Each does everything right, and together they equivocate.
 */
import type { Behaviour } from './behaviour.ts';

/** Who hears which of them is decided elsewhere. */
export const plainTwins: Behaviour = { instances: 2 };

export const twins: Behaviour = {
  instances: 2,
  outgoing: (node, to, message) => ((to + node.instance + node.life) % 3 === 0 ? [] : [message]),
};
