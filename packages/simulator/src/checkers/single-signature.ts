/**
 * An honest key never signs two different messages for one (height, round, kind).
 */
import type { SignedMessage } from 'svc-finality';
import { sameSignedBytes } from 'svc-finality';
import type { Checker } from './checker.ts';

export function singleSignature(): Checker {
  const signed = new Map<string, SignedMessage>();
  return {
    onSigned(world, node, message) {
      const position = `${node.index}/${message.height}/${message.round}/${message.kind}`;
      const known = signed.get(position);
      if (known === undefined) signed.set(position, message);
      else if (!sameSignedBytes(known, message))
        world.fail('singleSignature', `${position}: ${known.value} and ${message.value}`);
    },
  };
}
