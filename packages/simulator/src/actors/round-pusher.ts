/**
 * Votes far ahead of everybody, to draw others into rounds where no honest validator is.
 */
import { NIL, NO_ROUND, round as roundOf } from 'svc-consensus/machine';
import type { Behaviour } from './behaviour.ts';

export const roundPusher: Behaviour = {
  mischief(node) {
    const { context, round } = node.state;
    const vote = {
      kind: 'prevote' as const,
      height: context.height,
      round: roundOf(round.round + node.random.pick([1, 2, 3, 50])),
      validRound: NO_ROUND,
      value: NIL,
      validatorIndex: node.seatAt(context.height),
    };
    const signed = node.signed(vote);
    for (const to of node.peers()) node.transmit(to, signed);
  },
};
