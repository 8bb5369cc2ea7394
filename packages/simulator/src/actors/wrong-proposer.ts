/**
 * Proposes whenever it likes, in rounds that belong to others, and two cuts where it may.
 */
import { NO_ROUND, round as roundOf } from 'svc-consensus/machine';
import type { Behaviour } from './behaviour.ts';

export const wrongProposer: Behaviour = {
  mischief(node) {
    const { context, round } = node.state;
    const at = roundOf(Math.max(0, round.round + node.random.integer(0, 2)));
    for (const to of node.peers()) {
      if (node.random.chance(0.5)) continue;
      const cut = node.application.makeCut(roundOf(0), 0n);
      const proposal = {
        kind: 'proposal' as const,
        height: context.height,
        round: at,
        validRound: NO_ROUND,
        value: cut.id,
        validatorIndex: node.seatAt(context.height),
      };
      node.transmit(to, { kind: 'proposalWithCut', proposal: node.signed(proposal), cut });
    }
  },
};
