/**
 * Equivocates now and then, and reports offences again that the chain has punished already.
 */
import { NIL, NO_ROUND } from 'svc-consensus/machine';
import type { Behaviour } from './behaviour.ts';

export const repeatedEvidence: Behaviour = {
  build(node, cut) {
    const old = node.disk.chain.flatMap((decision) => decision.cut.evidence);
    return { ...cut, evidence: old.length > 0 ? old.slice(0, 4) : cut.evidence };
  },
  outgoing(node, to, message) {
    if (message.kind !== 'prevote' || to % 2 === 0) return [message];
    return [message, node.signed({ ...message, value: NIL, validRound: NO_ROUND })];
  },
};
