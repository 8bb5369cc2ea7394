/**
 * Votes in ever higher rounds, each vote in a round of its own: no two of them contradict each other, and each is further
 * ahead than all before.
 */
import { NIL, NO_ROUND, round as roundOf } from 'svc-consensus/machine';
import type { Behaviour } from './behaviour.ts';

const VOTES = 24;
/** Beyond the rounds that a run gets to. */
const FIRST_ROUND = 100;

export const risingRounds: Behaviour = {
  mischief(node) {
    const { height } = node.state.context;
    // Virtual time gives rounds that rise, also after a restart.
    const first = FIRST_ROUND + Math.floor(node.now);
    for (let more = 0; more < VOTES; more++) {
      const vote = node.signed({
        kind: 'prevote',
        height,
        round: roundOf(first + more),
        validRound: NO_ROUND,
        value: NIL,
        validatorIndex: node.seatAt(height),
      });
      for (const to of node.peers()) node.transmit(to, vote);
    }
  },
};
