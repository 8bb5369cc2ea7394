/**
 * What others can make an honest validator do is bounded: the signatures that it sends in answer to the questions of one
 * validator, and in one height the messages of one validator that it checks and logs, and the rounds of its late precommits.
 */
import type { Effect, Input, SignedMessage, Vote } from 'svc-consensus/machine';
import { limits } from 'svc-consensus/machine';
import type { Node } from '../node/node.ts';
import { signedPart } from '../world/packet.ts';
import type { Checker, WatchedWorld } from './checker.ts';

/** Signatures in a second: two rounds of votes and two polkas of 64 validators for each period without progress. */
const UNITS_PER_SECOND = 640;
/** What somebody who has just come back may have at once, twice. */
const UNITS_AT_ONCE_MAX = 1_536;
/** The round of the own certificate, and rounds that headers claim: twice as many, since one claim may displace another. */
const LOGGED_ROUNDS_MAX = 1 + 2 * limits.CLAIMED_ROUNDS_MAX;
/** Rounds that are kept as evidence are checked too. */
const CHECKED_ROUNDS_MAX = LOGGED_ROUNDS_MAX + limits.SUMMARY_ROUNDS_MAX;

/** A proposal, a prevote and a precommit in a round, and of each one that contradicts it. */
const MESSAGES_PER_ROUND = 6;
/** Far votes of one validator, each at twice the distance of the one before, as long as the round stays the same. */
const FAR_VOTES_MAX = Math.ceil(Math.log2(limits.ROUND_MAX));

interface Account {
  units: number;
  atMs: number;
}

/** Of one process at one height. */
interface Work {
  readonly life: number;
  readonly height: number;
  readonly answers: Map<number, Account>;
  /** Rounds of late precommits that were checked and logged, by their signer. */
  readonly lateChecked: Map<number, Set<number>>;
  readonly lateLogged: Map<number, Set<number>>;
  /** Messages of the height by their validator. */
  readonly checked: Map<number, number>;
  readonly logged: Map<number, number>;
}

export function boundedWork(): Checker {
  const all = new Map<Node, Work>();
  const workOf = (node: Node): Work => {
    const { life } = node;
    const { height } = node.state.context;
    const known = all.get(node);
    if (known?.life === life && known.height === height) return known;
    const answers = known?.life === life ? known.answers : new Map<number, Account>();
    const work: Work = {
      life,
      height,
      answers,
      lateChecked: new Map(),
      lateLogged: new Map(),
      checked: new Map(),
      logged: new Map(),
    };
    all.set(node, work);
    return work;
  };
  return {
    onStep(world, node, _before, input, { effects }) {
      if (!isQuestion(input)) return;
      const { answers } = workOf(node);
      const asker = world.chain.validatorAt(node.state.context.height, input.from) ?? -1;
      const account = answers.get(asker) ?? { units: 0, atMs: node.now };
      const left = account.units - ((node.now - account.atMs) * UNITS_PER_SECOND) / 1_000;
      account.units = Math.max(0, left) + unitsOf(effects);
      account.atMs = node.now;
      answers.set(asker, account);
      if (account.units > UNITS_AT_ONCE_MAX)
        world.fail(
          'boundedWork',
          `validator ${node.index} answered ${asker} with ${Math.floor(account.units)} signatures at once`,
        );
    },
    onEffect(world, node, effect) {
      if (effect.type !== 'append') return;
      const message = loggedMessage(effect.input);
      if (message === undefined) return;
      countMessage(world, node, message, workOf(node), 'logged');
      if (message.kind !== 'precommit' || message.height !== node.state.context.height - 1) return;
      const count = countRound(workOf(node).lateLogged, message);
      if (count > LOGGED_ROUNDS_MAX)
        world.fail(
          'boundedWork',
          `validator ${node.index} logged late precommits of ${message.validatorIndex} in ${count} rounds`,
        );
    },
    onChecked(world, node, messages, verdicts) {
      const { height } = node.state.context;
      for (const [place, message] of messages.entries()) {
        // A forged message costs its bearer, not the validator that it names.
        if (verdicts[place]?.holds !== true) continue;
        const signed = signedPart(message);
        if (signed !== undefined) countMessage(world, node, signed, workOf(node), 'checked');
        if (message.kind !== 'precommit' || message.height !== height - 1) continue;
        const count = countRound(workOf(node).lateChecked, message);
        if (count > CHECKED_ROUNDS_MAX)
          world.fail(
            'boundedWork',
            `validator ${node.index} checked late precommits of ${message.validatorIndex} in ${count} rounds`,
          );
      }
    },
  };
}

function countMessage(
  world: WatchedWorld,
  node: Node,
  { height, validatorIndex }: SignedMessage,
  work: Work,
  what: 'checked' | 'logged',
): void {
  const { round } = node.state.round;
  if (height !== work.height) return;
  const count = (work[what].get(validatorIndex) ?? 0) + 1;
  work[what].set(validatorIndex, count);
  if (count > messagesMax(round))
    world.fail(
      'boundedWork',
      `validator ${node.index} ${what} ${count} messages of ${validatorIndex} in height ${height}, round ${round}`,
    );
}

/** Of one validator in one height, once the node is in a round: each round that it enters lets one more far vote in. */
function messagesMax(round: number): number {
  const inWindow = MESSAGES_PER_ROUND * (Math.max(round, 0) + 1 + limits.ROUNDS_AHEAD_MAX);
  return inWindow + FAR_VOTES_MAX + Math.max(round, 0);
}

function loggedMessage(input: Input): SignedMessage | undefined {
  if (input.type === 'vote') return input.vote;
  return input.type === 'proposal' ? input.proposal : undefined;
}

/** Adds the round of a late precommit, and answers how many there are of its signer. */
function countRound(all: Map<number, Set<number>>, { validatorIndex, round }: Vote): number {
  const rounds = all.get(validatorIndex) ?? new Set();
  all.set(validatorIndex, rounds.add(round));
  return rounds.size;
}

function isQuestion(
  input: Input,
): input is Extract<Input, { type: 'summary' | 'polkaRequest' | 'precommitsRequest' }> {
  const { type } = input;
  return type === 'summary' || type === 'polkaRequest' || type === 'precommitsRequest';
}

function unitsOf(effects: readonly Effect[]): number {
  let units = 0;
  for (const effect of effects) {
    if (effect.type !== 'send') continue;
    const { message } = effect;
    const isCertificate =
      message.kind === 'polkaCertificate' || message.kind === 'commitCertificate';
    units += isCertificate ? message.signatures.length : 1;
  }
  return units;
}
