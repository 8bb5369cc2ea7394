/**
 * Brings honest validators to decide one cut in different rounds, without an offence: one of them, whom it can cut off,
 * hears the precommits of round 0 and is heard by none; the others get nil until the round in which they have
 * forgotten round 0, and then decide the same cut. All are sent precommits of the decided cut in rounds that never were,
 * as many as fill whatever is kept of late ones, and nothing else any more.
 */
import {
  type CutId,
  type Height,
  limits,
  NIL,
  NO_ROUND,
  type Round,
  round as roundOf,
  type Vote,
  type WireMessage,
} from 'svc-consensus/machine';
import type { Behaviour, Node } from '../node/node.ts';

/** The first height of which an honest header claims signers is the second one. */
const ATTACKED_HEIGHT = 2;
/** Votes of round 0 are dropped in it. */
const DECIDING_ROUND = limits.ROUNDS_BEHIND_MAX + 1;
const JUNK_ROUND_MIN = 100;
const JUNK_ROUNDS = 2 * limits.SUMMARY_ROUNDS_MAX;

interface Attack {
  readonly victim: number;
  /** What it has said: kind and round. */
  readonly said: Set<string>;
  /** The cut that is to be decided. */
  value: CutId | undefined;
}

const ATTACKS = new WeakMap<Node, Attack>();

export const claimSplitter: Behaviour = {
  outgoing(node, _to, message) {
    if (!isAttacking(node)) return [message];
    return isOfFirstRound(message) ? [message] : [];
  },
  hears(node, message) {
    const { cutOff: victim } = node.world.plan;
    if (victim === undefined) return;
    if (!isAttacking(node)) {
      if (node.state.context.height !== ATTACKED_HEIGHT) return;
      ATTACKS.set(node, { victim, said: new Set(), value: undefined });
      node.world.network.cutOff(victim, 'outgoing');
    }
    const isVote = message.kind === 'prevote' || message.kind === 'precommit';
    if (isVote && message.height === ATTACKED_HEIGHT && !node.isOwn(message)) answer(node, message);
  },
  mischief(node) {
    const attack = ATTACKS.get(node);
    if (attack?.value !== undefined)
      for (const to of node.peers()) sendJunk(node, to, attack.value);
  },
};

function isAttacking(node: Node): boolean {
  return ATTACKS.has(node);
}

/** Its own machine decides in round 0 as well; what follows is said by hand. */
function isOfFirstRound(message: WireMessage): boolean {
  const signed = message.kind === 'proposalWithCut' ? message.proposal : message;
  if (signed.kind === 'cut' || signed.kind === 'block') return true;
  if (signed.kind !== 'proposal' && signed.kind !== 'prevote') return false;
  return signed.height === ATTACKED_HEIGHT && signed.round === 0;
}

function answer(node: Node, vote: Vote): void {
  const attack = ATTACKS.get(node) as Attack;
  const { kind, round, validRound, value } = vote;
  if (round === 0) {
    if (kind !== 'precommit' || value === NIL) return;
    attack.value ??= value;
    say(node, attack, { kind, round, validRound: NO_ROUND, value: NIL });
    return;
  }
  node.world.network.cutOff(attack.victim, 'both');
  if (round < DECIDING_ROUND) {
    say(node, attack, { kind: 'prevote', round, validRound: NO_ROUND, value: NIL });
    say(node, attack, { kind: 'precommit', round, validRound: NO_ROUND, value: NIL });
  } else if (value === attack.value || value === NIL)
    say(node, attack, { kind, round, validRound, value });
}

type Said = Pick<Vote, 'kind' | 'round' | 'validRound' | 'value'>;

/** Once, and not to the validator that it cuts off. */
function say(node: Node, { victim, said }: Attack, vote: Said): void {
  const key = `${vote.kind}/${vote.round}`;
  if (said.has(key)) return;
  said.add(key);
  const height = ATTACKED_HEIGHT as Height;
  const signed = node.signed({ ...vote, height, validatorIndex: node.seatAt(height) });
  for (const to of node.peers()) if (to !== victim) node.transmit(to, signed);
}

function sendJunk(node: Node, to: number, value: CutId): void {
  const height = ATTACKED_HEIGHT as Height;
  for (let junk = 0; junk < JUNK_ROUNDS; junk++) {
    const round: Round = roundOf(JUNK_ROUND_MIN + junk);
    const vote = { kind: 'precommit', height, round, validRound: NO_ROUND, value } as const;
    node.transmit(to, node.signed({ ...vote, validatorIndex: node.seatAt(height) }));
  }
}
