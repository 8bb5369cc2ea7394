/**
 * Explores what one height hands to the next, exhaustively within its bounds: for everything that can have been signed at
 * the first height, every state that each honest validator can be in at the second, and every pair of them. Validators
 * do not depend on each other there: what one hears and when says nothing about what another hears, so all pairs exist.
 *
 * Bounds: four validators, one of them Byzantine; one cut; precommits for it in round 0, in one later round, and, of the
 * Byzantine validator, in as many rounds more as it takes to fill the tables of late precommits, heard one after another.
 */
import {
  type Input,
  type PeerMessage,
  RULES,
  round,
  type SignedMessage,
  type SignersClaim,
  sameSignedBytes,
  step,
} from 'svc-consensus/machine';
import {
  type BuildEffect,
  FIRST,
  give,
  HAND_OVER,
  type HandOver,
  hear,
  NEXT_CUT,
  type Node,
  restart,
  SECOND,
  waitFor,
} from './node.ts';
import {
  describeFirst,
  type FirstHeight,
  identityOf,
  isAtSecond,
  playFirst,
  type Reached,
  reach,
  wayTo,
} from './reach.ts';

/** More answers than there are precommits in one round. */
const QUESTIONS_MAX = 4;
const ALL = (1n << 64n) - 1n;

/** A validator that proposes at the second height, with the claim of its header. */
interface Proposer {
  readonly node: Node;
  readonly claim: SignersClaim;
  readonly round: number;
  /** Equal for proposers that no other validator can tell apart. */
  readonly key: string;
}

/**
 * What must hold between two honest validators at the second height, from whatever state each of them begins it: when
 * either proposes, the other can get every precommit that the header claims from the proposer, and then votes for it; a
 * crash loses neither, and makes the validator sign nothing else.
 */
export function proposerOf(node: Node, handOver: HandOver): Proposer {
  const at = node.state.context.proposers.indexOf(node.self);
  const proposing = waitFor(node, at);
  const { previousRound, previousSigners } = proposing.build as BuildEffect;
  const claim = { round: previousRound, signers: previousSigners };
  const answer = answerOf(proposing, { ...claim, signers: ALL }, handOver);
  return { node: proposing, claim, round: at, key: [at, claim, answer].map(identityOf).join() };
}

/**
 * What is wrong between a proposer and another validator at the second height. The other has to hold the claim with the
 * proposer's answers, to vote then, and to hold it again after a crash.
 */
function obtainFault(proposer: Proposer, other: Node, handOver: HandOver): string | undefined {
  const complete = completed(proposer, other, handOver);
  const lacking = lackIn(proposer, complete, handOver);
  if (lacking !== undefined) return lacking;
  const voter = vote(proposer, waitFor(complete, proposer.round));
  if (!hasPrevoted(voter, proposer.round)) return 'a held claim is not voted for';
  const back = restart(voter, true, handOver);
  if (!back.said.every(isSaidBefore)) return 'two signatures for one place';
  return lackIn(proposer, completed(proposer, back, handOver), handOver);
}

function lackIn({ claim }: Proposer, { state }: Node, handOver: HandOver): string | undefined {
  const verdict = handOver.checkPreviousSigners(state.previous, claim);
  if (verdict.type === 'invalid') return `the claim is invalid: ${verdict.reason}`;
  if (verdict.type === 'missing') return `the claim lacks ${verdict.signers.toString(2)}`;
  return undefined;
}

/** Whether a message is the first one for its place, or the same as that. */
function isSaidBefore(message: SignedMessage, _: number, said: readonly SignedMessage[]): boolean {
  const { kind, height, round: at } = message;
  const first = said.find((one) => one.kind === kind && one.height === height && one.round === at);
  return first !== undefined && sameSignedBytes(first, message);
}

/** Asks the proposer for what is missing until nothing is, or it has nothing new to give. */
function completed(proposer: Proposer, other: Node, handOver: HandOver): Node {
  const { claim, node } = proposer;
  let asking = other;
  for (let count = 0; count < QUESTIONS_MAX; count++) {
    const verdict = handOver.checkPreviousSigners(asking.state.previous, claim);
    if (verdict.type !== 'missing') return asking;
    const wanted = { round: claim.round, signers: verdict.signers };
    const before = asking;
    for (const message of answerOf(node, wanted, handOver, asking.self))
      asking = receive(asking, message, handOver);
    if (asking === before) return asking;
  }
  return asking;
}

function answerOf(
  node: Node,
  { round: at, signers }: SignersClaim,
  { answers }: HandOver,
  from = node.self,
): PeerMessage[] {
  const request: Input = { type: 'precommitsRequest', from, height: FIRST, round: at, signers };
  const { effects } = step(node.state, request, RULES);
  return answers(effects).flatMap((effect) => (effect.type === 'send' ? [effect.message] : []));
}

function receive(node: Node, message: PeerMessage, handOver: HandOver): Node {
  switch (message.kind) {
    case 'summary':
      return node;
    case 'commitCertificate':
    case 'polkaCertificate':
      return give(node, { type: message.kind, certificate: message } as Input);
    default:
      return hear(node, message, handOver);
  }
}

/** The proposal of the next cut, which the application finds valid since the claim is held. */
function vote({ node, round: at }: Proposer, voter: Node): Node {
  const proposal = {
    kind: 'proposal' as const,
    height: SECOND,
    round: round(at),
    validRound: round(-1),
    value: NEXT_CUT,
    validatorIndex: node.self,
    signature: Uint8Array.of(node.self),
  };
  const heard = give(voter, { type: 'proposal', proposal, cutTimeMs: 0n, receivedAtMs: 0n });
  return give(heard, { type: 'verdict', height: SECOND, value: NEXT_CUT, verdict: 'valid' });
}

function hasPrevoted({ said }: Node, at: number): boolean {
  return said.some(
    ({ kind, height, round: of, value }) =>
      kind === 'prevote' && height === SECOND && of === at && value === NEXT_CUT,
  );
}

interface HandOverOptions {
  readonly hasJunk: boolean;
  /** The most states of one validator. */
  readonly statesMax: number;
  readonly handOver?: HandOver;
}

interface Claimant extends Proposer {
  readonly reached: Reached;
}

/**
 * Explores what one height hands to the next, exhaustively within its bounds: for everything that can have been signed at
 * the first height, every state that each honest validator can be in at the second, and every pair of them. Validators
 * do not depend on each other there: what one hears and when says nothing about what another hears, so all pairs exist.
 *
 * Bounds: four validators, one of them Byzantine; one cut; precommits for it in round 0, in one later round, and, of the
 * Byzantine validator, in as many rounds more as it takes to fill the tables of late precommits, heard one after another.
 */
export function exploreHandOver(firsts: readonly FirstHeight[], options: HandOverOptions) {
  /** States of single validators, and pairs of a proposer and another validator that were compared. */
  const found = { states: 0, pairs: 0, violation: undefined };
  const { handOver = HAND_OVER } = options;
  for (const first of firsts) {
    const states = playFirst(first).map((node) => reach(node, first, { ...options, handOver }));
    for (const each of states) found.states += each.length;
    const seconds = states.map((each) => each.filter(({ node }) => isAtSecond(node)));
    const claimants = seconds.flatMap((each) => claimantsOf(each, handOver));
    for (const claimant of claimants)
      for (const other of seconds.flat()) {
        if (other.node.self === claimant.node.self) continue;
        found.pairs += 1;
        const reason = obtainFault(claimant, other.node, handOver);
        if (reason === undefined) continue;
        return { ...found, violation: { reason, path: pathOf(first, claimant, other) } };
      }
  }
  return found;
}

/** One validator of each kind that others can tell apart. */
function claimantsOf(states: readonly Reached[], handOver: HandOver): Claimant[] {
  const claimants = new Map<string, Claimant>();
  for (const reached of states) {
    const proposer = proposerOf(reached.node, handOver);
    if (!claimants.has(proposer.key)) claimants.set(proposer.key, { ...proposer, reached });
  }
  return [...claimants.values()];
}

function pathOf(first: FirstHeight, { claim, reached, node }: Claimant, other: Reached): string[] {
  const claimed = `claims ${claim.signers.toString(2)} in round ${claim.round}`;
  return [
    describeFirst(first),
    `proposer ${node.self}: ${wayTo(reached).join('; ')}; ${claimed}`,
    `validator ${other.node.self}: ${wayTo(other).join('; ')}`,
  ];
}
