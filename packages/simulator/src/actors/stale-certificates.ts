/**
 * Sends certificates that prove nothing: too few signers, another cut, another height or round,
 * signers that signed something else.
 */
import type { CommitCertificate, PolkaCertificate, Vote } from 'svc-consensus/machine';
import {
  commitCertificateOf,
  nextHeight,
  polkaCertificateOf,
  round as roundOf,
} from 'svc-consensus/machine';
import type { Node } from '../node/node.ts';
import type { Behaviour } from './behaviour.ts';

export const staleCertificates: Behaviour = {
  mischief(node) {
    for (const certificate of [...partial(node), ...altered(node)])
      for (const to of node.peers()) if (node.random.chance(0.5)) node.transmit(to, certificate);
  },
};

/** All votes it has seen for a cut, however few, with its own added. */
function partial(node: Node): (CommitCertificate | PolkaCertificate)[] {
  const { height } = node.state.context;
  const made: (CommitCertificate | PolkaCertificate)[] = [];
  for (const { round, prevotes, precommits, proposals } of node.state.keeper.records) {
    const value = proposals[proposals.length - 1]?.proposal.value;
    if (value === undefined) continue;
    for (const [kind, table] of [
      ['prevote', prevotes],
      ['precommit', precommits],
    ] as const) {
      const own = {
        kind,
        height,
        round,
        validRound: roundOf(-1),
        value,
        validatorIndex: node.seatAt(height),
      };
      const votes: Vote[] = table.slots.filter(
        (vote): vote is Vote => vote !== undefined && !node.isOwn(vote),
      );
      votes.push(node.signed(own));
      const make = kind === 'prevote' ? polkaCertificateOf : commitCertificateOf;
      made.push(make([...votes].reverse(), value));
    }
  }
  return made;
}

/** A true certificate of the past with one field changed. */
function altered(node: Node): CommitCertificate[] {
  const last = node.disk.chain[node.disk.chain.length - 1]?.certificate;
  if (last === undefined) return [];
  const value = node.application.makeCut(roundOf(0), 0n).id;
  return [
    last,
    { ...last, value },
    { ...last, height: nextHeight(last.height) },
    { ...last, round: roundOf(last.round + 1) },
  ];
}
