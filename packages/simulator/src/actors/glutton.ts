/**
 * Wants more of one honest validator than it may have: the same questions again and again, which cost a few bytes and ask for
 * many signatures, and late precommits of ever new rounds, each with a signature to check.
 */
import { NO_ROUND, nextHeight, round as roundOf } from 'svc-consensus/machine';
import type { Node } from '../node/node.ts';
import type { Behaviour } from './behaviour.ts';

const QUESTIONS = 120;
const LATE_ROUNDS = 48;
const ROUND_MAX = 100_000;

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
  for (let question = 0; question < QUESTIONS; question++)
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
