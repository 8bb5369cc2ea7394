/**
 * What must hold between two honest validators at the second height, from whatever state each of them begins it: when
 * either proposes, the other can get every precommit that the header claims from the proposer, and then votes for it; a
 * crash loses neither, and makes the validator sign nothing else.
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
import { identityOf } from './identity.ts';
import { type BuildEffect, give, hear, type Node, restart, waitFor } from './node.ts';
import { FIRST, type HandOver, NEXT_CUT, SECOND } from './setting.ts';

/** More answers than there are precommits in one round. */
const QUESTIONS_MAX = 4;
const ALL = (1n << 64n) - 1n;

/** A validator that proposes at the second height, with the claim of its header. */
export interface Proposer {
  readonly node: Node;
  readonly claim: SignersClaim;
  readonly round: number;
  /** Equal for proposers that no other validator can tell apart. */
  readonly key: string;
}

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
export function obtainFault(
  proposer: Proposer,
  other: Node,
  handOver: HandOver,
): string | undefined {
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
