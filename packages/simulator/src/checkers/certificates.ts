/**
 * Every certificate a node decides by holds up to a recount.
 */
import { membersOf, NO_ROUND } from 'svc-consensus/machine';
import type { Checker } from './checker.ts';

export function certificates(): Checker {
  return {
    onDecision(world, node, cut, certificate) {
      const { height, round, value, signers } = certificate;
      const { stakes } = world.chain.trueEpoch(height).set;
      const truth = { kind: 'precommit', height, round, validRound: NO_ROUND, value } as const;
      const signed = world.keyring.signersOf(truth);
      const members = membersOf(signers);
      const total = stakes.reduce((sum, stake) => sum + stake, 0n);
      const stake = members.reduce((sum, index) => sum + (stakes[index] ?? 0n), 0n);
      const holds =
        value === cut.id &&
        members.length === certificate.signatures.length &&
        members.every((index) => signed.has(index)) &&
        3n * stake > 2n * total;
      if (!holds)
        world.fail('certificates', `validator ${node.index} decided ${value} by a bad certificate`);
    },
  };
}
