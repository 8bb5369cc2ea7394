/**
 * Claims to pass on what honest validators sent: forged votes and questions, so that those are no longer heard, and reports
 * that say what they know, so that they are told nothing more. It says nothing else.
 */
import {
  FIRST_ROUND,
  NIL,
  NO_ROUND,
  type SignedMessage,
  type WireMessage,
  withSignature,
} from 'svc-consensus/machine';
import type { Node } from '../node/node.ts';
import type { Behaviour } from './behaviour.ts';

/** Of each validator to each other, in a while of which there are 25 until a silence for bad messages ends. */
const FORGED = 5;
const QUESTIONS = 2;
const VERSIONS_MAX = 40;

export const pretender: Behaviour = {
  outgoing: () => [],
  mischief(node) {
    for (const to of node.peers())
      for (const from of node.peers()) {
        if (to === from) continue;
        for (let more = 0; more < FORGED; more++) node.transmit(to, forged(node, from), from);
        for (let more = 0; more < QUESTIONS; more++) node.transmit(to, question(node), from);
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
