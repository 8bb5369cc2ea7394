/**
 * Claims polkas that never were: its proposals and prevotes name a valid round it made up.
 */
import { NIL, NO_ROUND, round as roundOf } from 'svc-finality';
import type { Behaviour } from './behaviour.ts';
import { messagePayload } from './behaviour.ts';

export const falseValidRound: Behaviour = {
  outgoing(node, _to, payload) {
    if (payload.type !== 'message') return [payload];
    const { message } = payload;
    const lies = message.kind === 'proposal' || message.kind === 'prevote';
    if (!lies || message.round === 0 || message.value === NIL) return [payload];
    const validRound = roundOf(node.random.integer(NO_ROUND, message.round - 1));
    const { signature: _, ...unsigned } = message;
    const lie = { ...unsigned, validRound } as typeof message;
    return [
      messagePayload(
        { ...lie, signature: node.signAnything(lie) },
        payload.cut,
        payload.withBodies,
      ),
    ];
  },
};
