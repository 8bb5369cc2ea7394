/**
 * Signs two different votes in every round and shows each to an audience of its own: never both to the same validator.
 * Now and then one half comes late, or only inside a certificate. It tells nobody what it has seen of itself.
 */
import { NIL, NO_ROUND } from 'svc-consensus/machine';
import type { Behaviour } from './behaviour.ts';

export const evidenceSplitter: Behaviour = {
  outgoing(node, to, message) {
    switch (message.kind) {
      case 'prevote':
      case 'precommit':
        if ((to + node.index) % 2 === 0) return [message];
        return [node.signed({ ...message, value: NIL, validRound: NO_ROUND })];
      default:
        return [message];
    }
  },
};
