/**
 * Equivocates now and then, and reports offences again that the chain has punished already.
 */
import { NIL, NO_ROUND } from 'svc-finality';
import type { Behaviour } from './behaviour.ts';
import { messagePayload } from './behaviour.ts';

export const repeatedEvidence: Behaviour = {
  build(node, cut) {
    const old = node.disk.chain.flatMap((decision) => decision.cut.evidence);
    return { ...cut, evidence: old.length > 0 ? old.slice(0, 4) : cut.evidence };
  },
  outgoing(node, to, payload) {
    if (payload.type !== 'message' || payload.message.kind !== 'prevote' || to % 2 === 0)
      return [payload];
    const { signature: _, ...vote } = payload.message;
    const other = { ...vote, value: NIL, validRound: NO_ROUND };
    return [payload, messagePayload({ ...other, signature: node.signAnything(other) })];
  },
};
