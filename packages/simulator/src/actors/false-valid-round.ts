/**
 * Claims polkas that never were: its proposals and prevotes name a valid round it made up.
 */
import { NIL, NO_ROUND, round as roundOf } from 'svc-consensus/machine';
import { signedPart, withSigned } from '../world/packet.ts';
import type { Behaviour } from './behaviour.ts';

export const falseValidRound: Behaviour = {
  outgoing(node, _to, message) {
    const signed = signedPart(message);
    if (signed === undefined || !node.isOwn(signed)) return [message];
    if (signed.kind === 'precommit' || signed.round === 0 || signed.value === NIL) return [message];
    const validRound = roundOf(node.random.integer(NO_ROUND, signed.round - 1));
    return [withSigned(message, node.signed({ ...signed, validRound }))];
  },
};
