/**
 * Liars that send more than others want: questions, repeated messages, forged messages in the name of others.
 */
import {
  FIRST_ROUND,
  NIL,
  NO_ROUND,
  nextHeight,
  round as roundOf,
  type SignedMessage,
  type WireMessage,
  withSignature,
} from 'svc-consensus/machine';
import type { Behaviour, Node } from '../node/node.ts';

const GLUTTON_QUESTIONS = 120;
const LATE_ROUNDS = 48;
const ROUND_MAX = 100_000;

/**
 * Wants more of one honest validator than it may have: the same questions again and again, which cost a few bytes and ask for
 * many signatures, and late precommits of ever new rounds, each with a signature to check.
 */
export const glutton: Behaviour = {
  mischief(node) {
    const peers = node.peers();
    if (peers.length === 0) return;
    const to = node.random.pick(peers);
    ask(node, to);
    sendLate(node, to);
  },
};

/** Says that it has nothing of the height. */
function ask(node: Node, to: number): void {
  const { height } = node.state.context;
  const { round } = node.state.round;
  for (let question = 0; question < GLUTTON_QUESTIONS; question++)
    node.transmit(to, {
      kind: 'summary',
      height,
      round,
      step: 'propose',
      rounds: [],
      wantedPolka: undefined,
    });
}

/** What it claims to have precommitted of the cut before, in rounds that never were. */
function sendLate(node: Node, to: number): void {
  const last = node.disk.chain.at(-1)?.certificate;
  if (last === undefined || nextHeight(last.height) !== node.state.context.height) return;
  for (let late = 0; late < LATE_ROUNDS; late++)
    node.transmit(
      to,
      node.signed({
        kind: 'precommit',
        height: last.height,
        round: roundOf(node.random.integer(last.round + 1, ROUND_MAX)),
        validRound: NO_ROUND,
        value: last.value,
        validatorIndex: node.seatAt(last.height),
      }),
    );
}

const HEARD_MAX = 32;
const TIMES = 3;
const heard = new WeakMap<Node, WireMessage[]>();

/**
 * Shows one honest validator again and again what it has heard, and the certificates that it holds: all of it true, and
 * known to all.
 */
export const replayer: Behaviour = {
  hears(node, message) {
    const known = heard.get(node) ?? [];
    heard.set(node, known);
    known.push(message);
    if (known.length > HEARD_MAX) known.shift();
  },
  mischief(node) {
    const peers = node.peers();
    if (peers.length === 0) return;
    const to = node.random.pick(peers);
    for (const message of [...(heard.get(node) ?? []), ...certificatesOf(node)])
      for (let time = 0; time < TIMES; time++) node.transmit(to, message);
  },
};

function certificatesOf({ state, disk }: Node): WireMessage[] {
  const decided = disk.chain.slice(-2).map(({ certificate }) => certificate);
  const { valid } = state.round;
  const polkas = valid === undefined ? [] : [valid.certificate];
  return [...decided, ...polkas, ...state.keeper.polkas];
}

/** Of each validator to each other, in a while of which there are 25 until a silence for bad messages ends. */
const FORGED = 5;
const PRETENDER_QUESTIONS = 2;
const VERSIONS_MAX = 40;

/**
 * Claims to pass on what honest validators sent: forged votes and questions, so that those are no longer heard, and reports
 * that say what they know, so that they are told nothing more. It says nothing else.
 */
export const pretender: Behaviour = {
  outgoing: () => [],
  mischief(node) {
    for (const to of node.peers())
      for (const from of node.peers()) {
        if (to === from) continue;
        for (let more = 0; more < FORGED; more++) node.transmit(to, forged(node, from), from);
        for (let more = 0; more < PRETENDER_QUESTIONS; more++)
          node.transmit(to, question(node), from);
        node.transmit(to, acknowledgement(node), from);
      }
  },
};

/** With a signature of its own, a new one each time. */
function forged(node: Node, from: number): SignedMessage {
  const { context, round } = node.state;
  const { height } = context;
  const vote = {
    kind: 'precommit' as const,
    height,
    round: round.round === NO_ROUND ? FIRST_ROUND : round.round,
    validRound: NO_ROUND,
    value: NIL,
    validatorIndex: node.seatAt(height),
  };
  const validatorIndex = node.world.chain.seatOf(height, from) ?? from;
  return withSignature({ ...vote, validatorIndex }, node.signAnything(vote));
}

function question(node: Node): WireMessage {
  const { height } = node.state.context;
  const { round } = node.state.round;
  return { kind: 'summary', height, round, step: 'propose', rounds: [], wantedPolka: undefined };
}

function acknowledgement(node: Node): WireMessage {
  const { height } = node.disk.chain.at(-1)?.certificate ?? node.state.context;
  const version = node.random.integer(1, VERSIONS_MAX);
  return { kind: 'voteReport', digests: [], heard: [{ height, version }] };
}
