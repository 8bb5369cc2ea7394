/**
 * Proposes cuts whose bodies it gives to few, and answers nobody who asks for them.
 */
import type { Behaviour } from './behaviour.ts';

export const withheldBodies: Behaviour = {
  build: (node, cut) => ({
    ...cut,
    bodiesFor: new Set(node.peers().filter(() => node.random.chance(0.4))),
  }),
  outgoing: (_node, _to, message) =>
    message.kind === 'cut' || message.kind === 'block' ? [] : [message],
};
