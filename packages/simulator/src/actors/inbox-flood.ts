/**
 * Sends one honest validator more than it can look at, all of it of no use and none of it wrong, so that what others send
 * would find no room.
 */
import { NIL, NO_ROUND, nextHeight, round as roundOf } from 'svc-consensus/machine';
import type { Behaviour } from './behaviour.ts';

const MESSAGES = 400;

export const inboxFlood: Behaviour = {
  mischief(node) {
    const peers = node.peers();
    if (peers.length === 0) return;
    const to = node.random.pick(peers);
    const height = nextHeight(node.state.context.height);
    const vote = node.signed({
      kind: 'prevote',
      height,
      round: roundOf(9),
      validRound: NO_ROUND,
      value: NIL,
      validatorIndex: node.seatAt(height),
    });
    for (let more = 0; more < MESSAGES; more++) node.transmit(to, vote);
  },
};
