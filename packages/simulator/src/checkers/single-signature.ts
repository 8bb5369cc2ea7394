/**
 * An honest key never signs two different messages for one (height, round, kind).
 */
import type { SignedMessage } from 'svc-consensus/machine';
import { sameSignedBytes } from 'svc-consensus/machine';
import type { Checker } from './checker.ts';

export function singleSignature(): Checker {
  const signed = new Map<number, SignedMessage[]>();
  return {
    onSigned(world, node, message) {
      const { height, round, kind } = message;
      const others = signed.get(node.index);
      if (others === undefined) {
        signed.set(node.index, [message]);
        return;
      }
      const known = lastAt(others, message);
      if (known === undefined) others.push(message);
      else if (!sameSignedBytes(known, message))
        world.fail(
          'singleSignature',
          `${node.index}/${height}/${round}/${kind}: ${known.value} and ${message.value}`,
        );
    },
  };
}

/** Of messages that mostly come in order, the one at the position of another. */
function lastAt(
  messages: readonly SignedMessage[],
  { height, round, kind }: SignedMessage,
): SignedMessage | undefined {
  return messages.findLast(
    (other) => other.height === height && other.round === round && other.kind === kind,
  );
}
