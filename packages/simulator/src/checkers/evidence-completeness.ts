/**
 * Two different messages of one validator for one (height, round, kind) that reached honest validators, be it each
 * another one, end as evidence in the chain. What a crash took before it was on a disk has reached nobody, and neither
 * has what came to a validator that waits for its chain to be current.
 */
import type { CommitCertificate, PolkaCertificate, SignedMessage, WireMessage } from 'svc-finality';
import { isWellFormed, limits, votesOf } from 'svc-finality';
import type { Node } from '../node/node.ts';
import { signedPart } from '../world/packet.ts';
import type { Checker, WatchedWorld } from './checker.ts';

const { ROUNDS_AHEAD_MAX, ROUNDS_BEHIND_MAX } = limits;
/** Heights that the promise speaks of; runs are shorter than what a validator keeps. */
const HEIGHTS_BACK = 16;

interface Half {
  readonly position: string;
  readonly offender: number;
  readonly content: string;
  readonly message: SignedMessage;
  /** What was delivered, to find it in the log. */
  readonly source: unknown;
}

interface Received {
  kept: Half[];
  fresh: Half[];
  readonly logged: Set<unknown>;
  readonly rounds: Map<number, number>;
}

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
      mine = { kept: [], fresh: [], logged: new Set(), rounds: new Map() };
      received.set(node, mine);
    }
    return mine;
  };
  return {
    onStep(_world, node, _before, _input, { state }) {
      const { height } = state.context;
      const { rounds } = of(node);
      const { round } = state.round;
      if ((rounds.get(height) ?? -1) < round) rounds.set(height, round);
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
      const mine = of(node);
      if (effect.type === 'append') {
        const { input } = effect;
        if (input.type === 'vote') mine.logged.add(input.vote);
        if (input.type === 'proposal') mine.logged.add(input.proposal);
        if (input.type === 'commitCertificate' || input.type === 'polkaCertificate')
          mine.logged.add(input.certificate);
      }
      if (effect.type !== 'resetLog') return;
      mine.kept.push(...mine.fresh);
      mine.fresh = [];
      mine.logged.clear();
    },
    onSync(_world, node) {
      const mine = of(node);
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

/** The first offence that honest validators have both halves of, and the chain has not punished. */
function unpunished(
  world: WatchedWorld,
  received: ReadonlyMap<Node, Received>,
): string | undefined {
  const first = new Map<string, Half>();
  const [judge] = world.honest;
  for (const node of world.honest)
    for (const half of received.get(node)?.kept ?? []) {
      const other = first.get(half.position);
      if (other === undefined) first.set(half.position, half);
      else if (
        other.content !== half.content &&
        judge?.application.isRemoved(half.offender) === false
      )
        return `${half.position}: ${other.content} and ${half.content}`;
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
      halves.push(halfOf(message, offender, signed ?? certificate));
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

/** A proposal of somebody whose turn it is not, or about another height, is refused as it comes. */
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

function halfOf(message: SignedMessage, offender: number, source: unknown): Half {
  const { height, round, kind, validRound, value } = message;
  return {
    position: `${offender}/${height}/${round}/${kind}`,
    offender,
    content: `${value}/${validRound}`,
    message,
    source,
  };
}
