/**
 * Votes for every proposal it hears of, in both kinds and also for nil, to random subsets.
 */
import { NIL, NO_ROUND } from 'svc-consensus/machine';
import type { Behaviour } from './behaviour.ts';

export const eagerVoter: Behaviour = {
  outgoing: (_node, _to, message) =>
    message.kind === 'prevote' || message.kind === 'precommit' ? [] : [message],
  hears(node, message) {
    if (message.kind !== 'proposalWithCut') return;
    const { height, round, validRound, value } = message.proposal;
    const { random } = node;
    const validatorIndex = node.seatAt(height);
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
        node.transmit(to, node.signed(vote));
      }
  },
};
