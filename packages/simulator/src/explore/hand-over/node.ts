/**
 * One honest validator over two heights in a small world: four validators of equal stake, the last one Byzantine. The first
 * height decides the first cut in one of two rounds; the header of the second height claims who signed it. A validator is
 * its machine, the log of its height with what is synced of it, and the certificate that its store keeps; it is a value:
 * every step makes another one.
 */
import {
  admit,
  type CommitCertificate,
  type CutId,
  checkPreviousSigners,
  commitCertificateOf,
  type Effect,
  type FinalityState,
  type Height,
  type HeightContext,
  height,
  type Input,
  initialState,
  limits,
  NO_ROUND,
  type PreviousCommits,
  type Proposal,
  polkaCertificateOf,
  previousCommitsOf,
  type RoundTimer,
  RULES,
  recover,
  round,
  type SignedMessage,
  step,
  trimCertificate,
  type Value,
  type Vote,
  type VoteKind,
  withSignature,
} from 'svc-consensus/machine';
import { BYZANTINE, CUTS, HONEST, SET } from '../search/universe.ts';

export const FIRST = height(1);
export const SECOND = height(2);
export const DECIDED = CUTS[0] as CutId;
export const NEXT_CUT = CUTS[1] as CutId;
/** At the first height the Byzantine validator proposes in every fourth round from round 0 on, at the second one last. */
const FIRST_PROPOSERS: readonly number[] = [BYZANTINE, ...HONEST];
const SECOND_PROPOSERS: readonly number[] = [...HONEST, BYZANTINE];
/** Rounds in which only the Byzantine validator precommits: as many as fill every table that a bound is set for. */
export const JUNK_ROUNDS: readonly number[] = Array.from(
  { length: limits.SUMMARY_ROUNDS_MAX - 1 },
  (_, index) => 100 + index,
);

/** The shipped functions by which heights are handed over, so that a control can break one of them. */
export const HAND_OVER = {
  admit,
  recover: (source: Parameters<typeof recover>[0]) => recover(source, RULES),
  checkPreviousSigners,
  /** What a validator sends to others that ask. */
  answers: (effects: readonly Effect[]): readonly Effect[] => effects,
};
export type HandOver = Readonly<typeof HAND_OVER>;

function contextOf(at: Height, self: number): HeightContext {
  const proposers = at === FIRST ? FIRST_PROPOSERS : SECOND_PROPOSERS;
  return { height: at, set: SET, proposers, self, startAtMs: BigInt(at) };
}

export function voteOf(kind: VoteKind, by: number, at: number, value: Value, valid = -1): Vote {
  return {
    kind,
    height: FIRST,
    round: round(at),
    validRound: round(valid),
    value,
    validatorIndex: by,
    signature: Uint8Array.of(by),
  };
}

export function proposalOf(by: number, at: number, valid: number): Proposal {
  return { ...voteOf('prevote', by, at, DECIDED, valid), kind: 'proposal', value: DECIDED };
}

export function proposed(proposal: Proposal): Input {
  return { type: 'proposal', proposal, cutTimeMs: 0n, receivedAtMs: 0n };
}

/** The precommits of these validators for the decided cut in one round. */
export function commitOf(signers: readonly number[], at: number): CommitCertificate {
  const votes = signers.map((by) => voteOf('precommit', by, at, DECIDED));
  return commitCertificateOf(votes, DECIDED);
}

export function polkaOf(signers: readonly number[], at: number, valid: number): Input {
  const votes = signers.map((by) => voteOf('prevote', by, at, DECIDED, valid));
  return { type: 'polkaCertificate', certificate: polkaCertificateOf(votes, DECIDED) };
}

export type BuildEffect = Extract<Effect, { type: 'buildCut' }>;

export interface Node {
  readonly self: number;
  readonly state: FinalityState;
  readonly log: readonly Input[];
  /** How many records of the log outlive a crash for certain. */
  readonly synced: number;
  /** The certificate of the first height as the store keeps it. */
  readonly stored: CommitCertificate | undefined;
  /** Everything signed, in its order. */
  readonly said: readonly SignedMessage[];
  /** The last cut that the application was asked for. */
  readonly build: BuildEffect | undefined;
}

export function startNode(self: number): Node {
  const context = contextOf(FIRST, self);
  const state = initialState(context);
  const node = { self, state, log: [], synced: 0, stored: undefined, said: [], build: undefined };
  return give(node, { type: 'startHeight', context });
}

/** The validator after an input and all that follows from it. */
export function give(node: Node, input: Input): Node {
  const { state, effects } = step(node.state, input, RULES);
  return effects.reduce(carryOut, { ...node, state });
}

/** The signer signs and the store commits at once; the first height's cut is held and valid. */
function carryOut(node: Node, effect: Effect): Node {
  switch (effect.type) {
    case 'resetLog':
      return { ...node, log: [], synced: 0 };
    case 'append':
      return { ...node, log: [...node.log, effect.input] };
    case 'sync':
      return { ...node, synced: node.log.length };
    case 'sign': {
      const message = withSignature(effect.message, Uint8Array.of(node.self));
      return give({ ...node, said: [...node.said, message] }, { type: 'signed', message });
    }
    case 'validateCut':
    case 'fetchCut': {
      const { height, value } = effect;
      if (height !== FIRST) return node;
      return give(node, { type: 'verdict', height, value, verdict: 'valid' });
    }
    case 'buildCut':
      return { ...node, build: effect };
    case 'decide': {
      const stored = trimCertificate(SET, effect.certificate);
      const context = contextOf(SECOND, node.self);
      return give({ ...node, stored }, { type: 'startHeight', context });
    }
    default:
      return node;
  }
}

/** The chain was moved by others: the validator begins the second height with their certificate. */
export function follow(node: Node, certificate: CommitCertificate): Node {
  return begin({ ...node, stored: trimCertificate(SET, certificate) });
}

/** Ends the process and starts it from its disk, with all of the log or only with what was synced. */
export function restart(node: Node, isSyncedOnly: boolean, { recover }: HandOver): Node {
  const log = isSyncedOnly ? node.log.slice(0, node.synced) : node.log;
  const [first] = log;
  const height = node.stored === undefined ? FIRST : SECOND;
  if (first?.type !== 'startHeight' || first.context.height !== height)
    return begin({ ...node, log: [], synced: 0 });
  const { state, effects } = recover({ log, previous: previousOf(node), holdsCut: () => true });
  return effects.reduce(carryOut, { ...node, log, synced: log.length, state });
}

function begin(node: Node): Node {
  const context = contextOf(node.stored === undefined ? FIRST : SECOND, node.self);
  const state = initialState(context, previousOf(node));
  return give({ ...node, state }, { type: 'startHeight', context });
}

function previousOf({ stored }: Node): PreviousCommits | undefined {
  return stored === undefined ? undefined : previousCommitsOf(SET, stored);
}

/** A message of another validator, if it deserves a signature check. */
export function hear(node: Node, message: SignedMessage, { admit }: HandOver): Node {
  if (admit(node.state, message) !== 'verify') return node;
  return message.kind === 'proposal'
    ? give(node, { type: 'proposal', proposal: message, cutTimeMs: 0n, receivedAtMs: 0n })
    : give(node, { type: 'vote', vote: message });
}

export function runOut(node: Node, timer: 'start' | RoundTimer): Node {
  const { context, round } = node.state;
  const at = timer === 'start' ? NO_ROUND : round.round;
  const place = { height: context.height, round: at, nowMs: context.startAtMs };
  return give(node, { type: 'timer', timer, ...place });
}

/** Lets all timers run out until a round has begun. */
export function waitFor(node: Node, round: number): Node {
  let waiting = node.state.round.round === NO_ROUND ? runOut(node, 'start') : node;
  while (waiting.state.round.round < round)
    for (const timer of ['propose', 'prevote', 'precommit'] as const)
      waiting = runOut(waiting, timer);
  return waiting;
}
