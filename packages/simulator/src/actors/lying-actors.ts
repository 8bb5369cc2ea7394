/**
 * Liars that say what is not so, each in one way.
 */
import {
  bitOf,
  type CommitCertificate,
  commitCertificateOf,
  type Height,
  NIL,
  NO_ROUND,
  nextHeight,
  type PolkaCertificate,
  polkaCertificateOf,
  round as roundOf,
  type SignedMessage,
  type Vote,
  withSignature,
} from 'svc-consensus/machine';
import type { Behaviour, Node } from '../node/node.ts';
import { signedPart, withSigned } from '../world/packet.ts';

/** A signed prevote for nil. */
function nilPrevote(node: Node, height: Height, round: number): SignedMessage {
  return node.signed({
    kind: 'prevote',
    height,
    round: roundOf(round),
    validRound: NO_ROUND,
    value: NIL,
    validatorIndex: node.seatAt(height),
  });
}

/** Listens, and never says anything. */
export const silent: Behaviour = { outgoing: () => [] };

/** Says the right things to some and nothing to others, so that quorums form on one side only. */
export const late: Behaviour = {
  outgoing: (node, to, message) => (node.random.chance(to % 2 === 0 ? 0.2 : 0.9) ? [message] : []),
};

/** Two honest processes with one key. Who hears which of them is decided elsewhere. */
export const plainTwins: Behaviour = { instances: 2 };

/** Two honest processes with one key. Each does everything right, and together they equivocate. */
export const twins: Behaviour = {
  instances: 2,
  outgoing: (node, to, message) => ((to + node.instance + node.life) % 3 === 0 ? [] : [message]),
};

/** Proposes cuts whose bodies it gives to few, and does not answer requests for them. */
export const withheldBodies: Behaviour = {
  build: (node, cut) => ({
    ...cut,
    bodiesFor: new Set(node.peers().filter(() => node.random.chance(0.4))),
  }),
  outgoing: (_node, _to, message) =>
    message.kind === 'cut' || message.kind === 'block' ? [] : [message],
};

/** Names signers of the previous cut that did not sign, or leaves out so many that no quorum is left. */
export const bogusBitmap: Behaviour = {
  build(node, cut) {
    const members = node.state.context.set.stakes.length;
    const invented = node.random.chance(0.7);
    const all = (1n << BigInt(members)) - 1n;
    const previousSigners = invented ? all : bitOf(node.seatAt(cut.height));
    return { ...cut, previousSigners };
  },
};

/** Claims polkas that never were: its proposals and prevotes name a valid round it made up. */
export const falseValidRound: Behaviour = {
  outgoing(node, _to, message) {
    const signed = signedPart(message);
    if (signed === undefined || !node.isOwn(signed)) return [message];
    if (signed.kind === 'precommit' || signed.round === 0 || signed.value === NIL) return [message];
    const validRound = roundOf(node.random.integer(NO_ROUND, signed.round - 1));
    return [withSigned(message, node.signed({ ...signed, validRound }))];
  },
};

/** Equivocates now and then, and reports offences again that the chain has punished already. */
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

/** Proposes cuts that break the rules, and votes for them. */
export const invalidCut: Behaviour = {
  build: (node, cut) => {
    switch (node.random.integer(0, 2)) {
      case 0:
        return { ...cut, flaw: 'invalid' };
      case 1:
        return { ...cut, timeMs: cut.timeMs - 700n };
      default:
        return { ...cut, parentId: cut.id };
    }
  },
};

/**
 * Signs two different votes in every round and shows each to an audience of its own: never both to the same validator.
 * Now and then one half comes late, or only inside a certificate. It reports nothing that it has seen of itself.
 */
export const evidenceSplitter: Behaviour = {
  outgoing(node, to, message) {
    switch (message.kind) {
      case 'prevote':
      case 'precommit':
        if ((to + node.index) % 2 === 0) return [message];
        return [node.signed({ ...message, value: NIL, validRound: NO_ROUND })];
      default:
        return [message];
    }
  },
};

/** Votes far ahead of all others, to draw others into rounds where no honest validator is. */
export const roundPusher: Behaviour = {
  mischief(node) {
    const { context, round } = node.state;
    const ahead = node.random.pick([1, 2, 3, 50]);
    const signed = nilPrevote(node, context.height, round.round + ahead);
    for (const to of node.peers()) node.transmit(to, signed);
  },
};

/** Proposes whenever it likes, in rounds that belong to others, and two cuts where it may. */
export const wrongProposer: Behaviour = {
  mischief(node) {
    const { context, round } = node.state;
    const at = roundOf(Math.max(0, round.round + node.random.integer(0, 2)));
    for (const to of node.peers()) {
      if (node.random.chance(0.5)) continue;
      const cut = node.application.makeCut(roundOf(0), 0n);
      const proposal = {
        kind: 'proposal' as const,
        height: context.height,
        round: at,
        validRound: NO_ROUND,
        value: cut.id,
        validatorIndex: node.seatAt(context.height),
      };
      node.transmit(to, { kind: 'proposalWithCut', proposal: node.signed(proposal), cut });
    }
  },
};

const FLOOD_MESSAGES = 400;

/**
 * Sends one honest validator more than it can look at, all of it of no use and none of it wrong, so that what others send
 * would find no room.
 */
export const inboxFlood: Behaviour = {
  mischief(node) {
    const peers = node.peers();
    if (peers.length === 0) return;
    const to = node.random.pick(peers);
    const height = nextHeight(node.state.context.height);
    const vote = nilPrevote(node, height, 9);
    for (let more = 0; more < FLOOD_MESSAGES; more++) node.transmit(to, vote);
  },
};

const RISING_VOTES = 24;
/** Beyond the rounds that a run gets to. */
const FIRST_ROUND = 100;

/**
 * Votes in ever higher rounds, each vote in a round of its own: no two of them contradict each other, and each is further
 * ahead than all before.
 */
export const risingRounds: Behaviour = {
  mischief(node) {
    const { height } = node.state.context;
    // Virtual time gives rounds that rise, also after a restart.
    const first = FIRST_ROUND + Math.floor(node.now);
    for (let more = 0; more < RISING_VOTES; more++) {
      const vote = nilPrevote(node, height, first + more);
      for (const to of node.peers()) node.transmit(to, vote);
    }
  },
};

/** Votes for every proposal it hears of, in both kinds and also for nil, to random subsets. */
export const eagerVoter: Behaviour = {
  outgoing: (_node, _to, message) =>
    message.kind === 'prevote' || message.kind === 'precommit' ? [] : [message],
  hears(node, message) {
    if (message.kind !== 'proposalWithCut') return;
    const { height, round, validRound, value } = message.proposal;
    const { random } = node;
    const validatorIndex = node.seatAt(height);
    for (const kind of ['prevote', 'precommit'] as const)
      for (const to of node.peers()) {
        if (random.chance(0.3)) continue;
        const isNil = random.chance(0.3);
        const vote = {
          kind,
          height,
          round,
          validRound: kind === 'prevote' && !isNil ? validRound : NO_ROUND,
          value: isNil ? NIL : value,
          validatorIndex,
        };
        node.transmit(to, node.signed(vote));
      }
  },
};

/**
 * Changes random fields of what it sends. Its own messages it signs again, so they are authentic
 * lies; messages of others it passes on broken.
 */
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

/**
 * Sends certificates that prove nothing: too few signers, another cut, another height or round,
 * signers that signed something else.
 */
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
