/**
 * Rules of what others can cost a validator: memory, work and the attention that honest messages get.
 */
import {
  type Effect,
  type Input,
  limits,
  type SignedMessage,
  type Vote,
  type WireMessage,
} from 'svc-consensus/machine';
import type { Node } from '../node/node.ts';
import { setHeightOf, signedPart } from '../world/packet.ts';
import { type Checker, perLife, type WatchedWorld } from './checker.ts';

const { NEXT_HEIGHT_ROUNDS_MAX, POLKAS_MAX, PROPOSALS_PER_ROUND_MAX, SUMMARY_ROUNDS_MAX } = limits;
/** The round of the own certificate, and rounds that headers claim. */
const PREVIOUS_ROUNDS_MAX = 1 + limits.CLAIMED_ROUNDS_MAX;

/** What a node holds stays within its limits, whatever it is sent. */
export function boundedMemory(): Checker {
  return {
    onStep(world, node, _before, _input, { state }) {
      const { keeper, context } = state;
      const members = context.set.stakes.length;
      const cuts = SUMMARY_ROUNDS_MAX * PROPOSALS_PER_ROUND_MAX + POLKAS_MAX + 4;
      const within =
        keeper.records.length <= SUMMARY_ROUNDS_MAX &&
        keeper.polkas.length <= POLKAS_MAX &&
        keeper.far.length === members &&
        state.next.size <= NEXT_HEIGHT_ROUNDS_MAX * 3 * members &&
        state.verdicts.size <= cuts &&
        state.own.length <= 6 &&
        (state.previous?.tables.size ?? 0) <= PREVIOUS_ROUNDS_MAX;
      if (!within) world.fail('boundedMemory', `validator ${node.index} holds more than it may`);
    },
  };
}

/** Signatures in a second: two rounds of votes and two polkas of 64 validators for each period without progress. */
const UNITS_PER_SECOND = 640;
/** What a validator that has just come back may have at once, twice. */
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

/**
 * What others can make an honest validator do is bounded: the signatures that it sends in answer to the questions of one
 * validator, and in one height the messages of one validator that it checks and logs, and the rounds of its late precommits.
 */
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

/** So many are remembered by a process; an older one may cost its check again. */
const REMEMBERED_MAX = 1_024;
/** The machine, the memory of votes, and the next height may each want a message that holds. */
const HELD_CHECKS_MAX = 3;

/**
 * The same packet costs a process its check once if its signatures did not hold, and a few times if they did, however often
 * it comes again. A process that has restarted knows nothing of what came before.
 */
export function verifiedOnce(): Checker {
  const timesOf = perLife(() => new Map<WireMessage, number>());
  return {
    onChecked(world, node, messages, verdicts) {
      const times = timesOf(node);
      for (const [place, message] of messages.entries()) {
        const holds = verdicts[place]?.holds === true;
        const count = (times.get(message) ?? 0) + 1;
        times.set(message, count);
        if (count > (holds ? HELD_CHECKS_MAX : 1))
          world.fail(
            'verifiedOnce',
            `validator ${node.index} checked the same ${holds ? 'true' : 'forged'} ${message.kind} ${count} times`,
          );
        const [oldest] = times.size > REMEMBERED_MAX ? times.keys() : [];
        if (oldest !== undefined) times.delete(oldest);
      }
    },
  };
}

/** Batches of a full inbox, and the one under way. */
const TURNS_MAX = 9;

interface Waiting {
  /** When each message came. */
  readonly since: Map<WireMessage, number>;
  /** When messages of an account came lately, also those that came before. */
  readonly arrivals: Map<string, number[]>;
}

/**
 * What one honest validator sends another and what reaches it is looked at, whatever others send, as long as the neighbour
 * that hands it over keeps to its share of the inbox: messages that a broken link held back come all at once, and neighbours
 * pass on floods here, which the gate of a real forwarder stops. Looked at where processes have turns: elsewhere nothing waits.
 */
export function honestHeard(): Checker {
  const waitingOf = perLife((): Waiting => ({ since: new Map(), arrivals: new Map() }));
  return {
    onReceived(world, node, { from, via, message }) {
      const { arrivals, since } = waitingOf(node);
      const oldest = world.now - waitMsMax(world);
      const account = from === via ? `${from}` : `through ${via}`;
      const lately = arrivals.get(account) ?? [];
      while (lately[0] !== undefined && lately[0] < oldest) lately.shift();
      lately.push(world.now);
      arrivals.set(account, lately);
      const { byzantine } = world.plan;
      if (byzantine.has(from) || byzantine.has(via) || node.isWaiting) return;
      const height = setHeightOf(message);
      if (height !== undefined && node.application.setAt(height) === undefined) return;
      for (const [other, cameAt] of since) {
        if (cameAt >= oldest) break;
        world.fail(
          'honestHeard',
          `validator ${node.index} has not looked at a ${other.kind} that came ${world.now - cameAt} ms ago`,
        );
      }
      if (lately.length <= shareOf(world) && !since.has(message)) since.set(message, world.now);
    },
    onHeard(_world, node, message) {
      waitingOf(node).since.delete(message);
    },
  };
}

/** A turn ends with a write to the disk. */
function waitMsMax({ plan }: WatchedWorld): number {
  return TURNS_MAX * (plan.turnMs + plan.syncMsMax);
}

/** Each validator has an account for its own messages, and one for what it passes on. */
function shareOf({ plan, protocol }: WatchedWorld): number {
  const validators = plan.stakes[0]?.length ?? 1;
  return Math.floor(protocol.inboxLimits.units / (2 * validators));
}
