/**
 * Rules of evidence: it convicts liars alone, and every liar of whom honest validators have both halves.
 */
import {
  type CommitCertificate,
  type Input,
  isWellFormed,
  limits,
  type PolkaCertificate,
  type SignedMessage,
  sameSignedBytes,
  votesOf,
  type WireMessage,
} from 'svc-consensus/machine';
import type { Node } from '../node/node.ts';
import { signedPart } from '../world/packet.ts';
import type { Checker, WatchedWorld } from './checker.ts';

/** Evidence never names an honest validator, and no offence is accepted twice. */
export function evidence(): Checker {
  const accepted = new Map<string, string>();
  return {
    onConflict(world, node, { first, second }) {
      const offender = world.chain.validatorAt(first.height, first.validatorIndex);
      if (offender === undefined || !world.plan.byzantine.has(offender))
        world.fail('evidence', `validator ${node.index} accuses ${offender}, who is honest`);
      if (first.validatorIndex !== second.validatorIndex)
        world.fail('evidence', 'the two messages are of two validators');
    },
    onDecision(world, _node, cut) {
      const inThisCut = new Set<string>();
      for (const { first } of cut.evidence) {
        const offender = world.chain.validatorAt(first.height, first.validatorIndex);
        const offence = `${offender}/${first.height}/${first.round}/${first.kind}`;
        const before = accepted.get(offence);
        const again = inThisCut.has(offence) || (before !== undefined && before !== cut.id);
        inThisCut.add(offence);
        if (again) world.fail('evidence', `offence ${offence} accepted in ${before} and ${cut.id}`);
        accepted.set(offence, cut.id);
        if (offender === undefined || !world.plan.byzantine.has(offender))
          world.fail('evidence', `the chain punishes ${offender}, who is honest`);
      }
    },
  };
}

const { ROUNDS_AHEAD_MAX, ROUNDS_BEHIND_MAX, VALIDATORS_MAX } = limits;
/** More rounds than a run has time for. */
const ROUNDS_MAX = 1_000_000;
/** Heights that the promise speaks of; runs are shorter than what a validator keeps. */
const HEIGHTS_BACK = 16;

interface Half {
  readonly offender: number;
  readonly message: SignedMessage;
  /** What was delivered, to find it in the log. */
  readonly source: unknown;
}

interface Received {
  kept: Half[];
  fresh: Half[];
  readonly logged: Set<unknown>;
  /** The highest round of each height, and the height and round that were seen last. */
  readonly rounds: Map<number, number>;
  height: number;
  round: number;
}

/**
 * Two different messages of one validator for one (height, round, kind) that reached honest validators, be it each
 * another one, end as evidence in the chain. What a crash took before it was on a disk has reached none, and neither
 * has what came to a validator that waits for its chain to be current.
 */
export function evidenceCompleteness(): Checker {
  const received = new Map<Node, Received>();
  /** The same packet comes to many validators, and its signatures say the same to all of them. */
  const known = new Map<WireMessage, readonly Half[]>();
  const halvesIn = (world: WatchedWorld, packet: WireMessage): readonly Half[] => {
    let halves = known.get(packet);
    if (halves === undefined) {
      halves = halvesOf(world, packet);
      known.set(packet, halves);
    }
    return halves;
  };
  const of = (node: Node): Received => {
    let mine = received.get(node);
    if (mine === undefined) {
      mine = { kept: [], fresh: [], logged: new Set(), rounds: new Map(), height: 0, round: 0 };
      received.set(node, mine);
    }
    return mine;
  };
  return {
    onStep(_world, node, _before, _input, { state }) {
      const mine = of(node);
      const { height } = state.context;
      const { round } = state.round;
      if (mine.height === height && mine.round === round) return;
      mine.height = height;
      mine.round = round;
      if ((mine.rounds.get(height) ?? -1) < round) mine.rounds.set(height, round);
    },
    onHeard(world, node, message) {
      const signed = signedPart(message);
      if (signed !== undefined && offenderOf(world, signed) === undefined) return;
      if (signed === undefined && certificateIn(message) === undefined) return;
      if (node.isWaiting) return;
      const mine = of(node);
      for (const half of halvesIn(world, message))
        if (isInside(node, mine, half.message) && isExpected(node, message, half.message))
          mine.fresh.push(half);
    },
    onEffect(_world, node, effect) {
      if (effect.type === 'append') {
        const source = sourceIn(effect.input);
        if (source !== undefined) of(node).logged.add(source);
      } else if (effect.type === 'resetLog') keepAll(of(node));
    },
    onSync(_world, node) {
      const mine = of(node);
      if (mine.fresh.length === 0 || mine.logged.size === 0) return;
      mine.kept.push(...mine.fresh.filter(({ source }) => mine.logged.has(source)));
      mine.fresh = mine.fresh.filter(({ source }) => !mine.logged.has(source));
    },
    onLoss(_world, node, isWhole) {
      const mine = of(node);
      mine.fresh = [];
      mine.logged.clear();
      if (isWhole) mine.kept = [];
    },
    isSettled: (world) => unpunished(world, received) === undefined,
    atEnd(world) {
      const offence = unpunished(world, received);
      if (offence !== undefined) world.fail('evidenceCompleteness', offence);
    },
  };
}

/** What a record of the log was made of, if it was delivered. */
function sourceIn(input: Input): unknown {
  switch (input.type) {
    case 'vote':
      return input.vote;
    case 'proposal':
      return input.proposal;
    case 'commitCertificate':
    case 'polkaCertificate':
      return input.certificate;
    default:
      return undefined;
  }
}

function keepAll(mine: Received): void {
  mine.kept.push(...mine.fresh);
  mine.fresh = [];
  mine.logged.clear();
}

/** The first offence that honest validators have both halves of, and the chain has not punished. */
function unpunished(
  world: WatchedWorld,
  received: ReadonlyMap<Node, Received>,
): string | undefined {
  const first = new Map<number, Half>();
  const { honest } = world;
  const [judge] = honest;
  for (const node of honest)
    for (const half of received.get(node)?.kept ?? []) {
      const position = positionOf(half);
      const other = first.get(position);
      if (other === undefined) first.set(position, half);
      else if (
        !sameSignedBytes(other.message, half.message) &&
        judge?.application.isRemoved(half.offender) === false
      )
        return offenceOf(other, half);
    }
  return undefined;
}

/** What Byzantine validators have really signed of a packet. */
function halvesOf(world: WatchedWorld, packet: WireMessage): readonly Half[] {
  const signed = signedPart(packet);
  const certificate = certificateIn(packet);
  const messages = certificate === undefined ? [] : votesIn(world, certificate);
  if (signed !== undefined) messages.push(signed);
  const halves: Half[] = [];
  for (const message of messages) {
    const offender = offenderOf(world, message);
    if (offender !== undefined && world.keyring.verify(message, message.signature))
      halves.push({ offender, message, source: signed ?? certificate });
  }
  return halves;
}

/** The Byzantine validator on whose seat a message was signed. */
function offenderOf(
  world: WatchedWorld,
  { height, validatorIndex }: SignedMessage,
): number | undefined {
  const validator = world.chain.validatorAt(height, validatorIndex);
  return validator !== undefined && world.plan.byzantine.has(validator) ? validator : undefined;
}

function certificateIn(packet: WireMessage): CommitCertificate | PolkaCertificate | undefined {
  const certificate = packet.kind === 'decision' ? packet.certificate : packet;
  const isCertificate =
    certificate.kind === 'commitCertificate' || certificate.kind === 'polkaCertificate';
  return isCertificate ? certificate : undefined;
}

function votesIn(
  world: WatchedWorld,
  certificate: CommitCertificate | PolkaCertificate,
): SignedMessage[] {
  const [verdict] = world.checks.verify([certificate]);
  return verdict?.holds === true ? votesOf(certificate) : [];
}

/** The last heights, and in each the rounds around the highest that the validator was in. */
function isInside(node: Node, { rounds }: Received, message: SignedMessage): boolean {
  const { context, round } = node.state;
  if (!isWellFormed(message) || message.height > context.height + 1) return false;
  if (message.height < context.height - HEIGHTS_BACK) return false;
  const known = rounds.get(message.height) ?? 0;
  const reached = message.height === context.height ? Math.max(known, round.round) : known;
  return (
    message.round <= reached + ROUNDS_AHEAD_MAX && message.round >= reached - ROUNDS_BEHIND_MAX
  );
}

/** A proposal of a validator whose turn it is not, or about another height, is refused as it comes. */
function isExpected(node: Node, message: WireMessage, signed: SignedMessage): boolean {
  if (signed.kind !== 'proposal') return true;
  const { context, decided } = node.state;
  const turn = context.proposers[signed.round % context.proposers.length];
  if (message.kind !== 'proposalWithCut' || signed.height !== context.height) return false;
  if (decided !== undefined || turn !== signed.validatorIndex) return false;
  const { fields } = message.cut;
  if (message.cut.value !== signed.value || fields.height !== BigInt(signed.height)) return false;
  return signed.validRound >= 0 || fields.proposer === signed.validatorIndex;
}

/** One number for offender, height, round and kind; rounds that are kept lie near those that validators were in. */
function positionOf({ offender, message: { height, round, kind } }: Half): number {
  const place = kind === 'proposal' ? 0 : kind === 'prevote' ? 1 : 2;
  return ((height * ROUNDS_MAX + round) * 3 + place) * VALIDATORS_MAX + offender;
}

function offenceOf({ offender, message }: Half, { message: other }: Half): string {
  const { height, round, kind } = message;
  const position = `${offender}/${height}/${round}/${kind}`;
  return `${position}: ${message.value}/${message.validRound} and ${other.value}/${other.validRound}`;
}
