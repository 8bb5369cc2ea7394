/**
 * Changes random fields of what it sends. Its own messages it signs again, so they are authentic
 * lies; messages of others it passes on broken.
 */
import type { SignedMessage } from 'svc-consensus/machine';
import { NIL, round as roundOf, withSignature } from 'svc-consensus/machine';
import type { Node } from '../node/node.ts';
import { signedPart, withSigned } from '../world/packet.ts';
import type { Behaviour } from './behaviour.ts';

export const mutator: Behaviour = {
  outgoing(node, _to, message) {
    const signed = signedPart(message);
    if (signed === undefined || node.random.chance(0.4)) return [message];
    const changed = change(node, signed);
    return [withSigned(message, node.isOwn(signed) ? node.signed(changed) : changed)];
  },
  hears(node, message) {
    const signed = signedPart(message);
    if (signed === undefined || !node.random.chance(0.1)) return;
    const to = node.random.pick(node.peers());
    node.transmit(to, withSigned(message, change(node, signed)));
  },
};

/** Copies look like all other messages, so that reading them costs no more. */
function change(node: Node, message: SignedMessage): SignedMessage {
  const changed = changedField(node, message);
  return changed === message ? message : withSignature(changed, message.signature);
}

function changedField(node: Node, message: SignedMessage): SignedMessage {
  const { random } = node;
  const isVote = message.kind !== 'proposal';
  switch (random.integer(0, 5)) {
    case 0:
      return { ...message, round: roundOf(random.integer(0, message.round + 3)) };
    case 1:
      return { ...message, validRound: roundOf(random.integer(-1, message.round + 1)) };
    case 2:
      return isVote ? { ...message, value: NIL, validRound: roundOf(-1) } : message;
    case 3: {
      const proposals = node.state.keeper.records.flatMap((record) => record.proposals);
      const value = proposals.length > 0 ? random.pick(proposals).proposal.value : message.value;
      return { ...message, value } as SignedMessage;
    }
    case 4:
      return isVote
        ? { ...message, kind: message.kind === 'prevote' ? 'precommit' : 'prevote' }
        : message;
    default:
      return { ...message, height: (message.height + random.integer(-1, 1)) as never };
  }
}
