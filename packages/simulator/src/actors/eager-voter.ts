/**
 * Votes for every proposal it hears of, in both kinds and also for nil, to random subsets.
 */
import { NIL, NO_ROUND } from 'svc-finality';
import type { Behaviour } from './behaviour.ts';
import { messagePayload } from './behaviour.ts';

export const eagerVoter: Behaviour = {
  outgoing: (_node, _to, payload) =>
    payload.type === 'message' &&
    (payload.message.kind === 'prevote' || payload.message.kind === 'precommit')
      ? []
      : [payload],
  hears(node, payload) {
    if (payload.type !== 'message' || payload.message.kind !== 'proposal') return;
    const { height, round, validRound, value } = payload.message;
    const { index: validatorIndex, random } = node;
    for (const kind of ['prevote', 'precommit'] as const)
      for (const to of node.peers()) {
        if (random.chance(0.3)) continue;
        const isNil = random.chance(0.3);
        const vote = {
          kind,
          height,
          round,
          validRound: kind === 'prevote' && !isNil ? validRound : NO_ROUND,
          value: isNil ? NIL : value,
          validatorIndex,
        };
        node.transmit(to, messagePayload({ ...vote, signature: node.signAnything(vote) }));
      }
  },
};
