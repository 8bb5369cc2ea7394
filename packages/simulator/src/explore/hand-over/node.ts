/**
 * One honest validator over two heights: its machine, the log of its height with what is synced of it, and the
 * certificate that its store keeps. It is a value: every step makes another one.
 */
import {
  type CommitCertificate,
  type Effect,
  type FinalityState,
  type Input,
  initialState,
  NO_ROUND,
  type PreviousCommits,
  previousCommitsOf,
  type RoundTimer,
  RULES,
  type SignedMessage,
  step,
  trimCertificate,
  withSignature,
} from 'svc-consensus/machine';
import { SET } from '../search/universe.ts';
import { contextOf, FIRST, type HandOver, SECOND } from './setting.ts';

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
