/**
 * Rules of what is signed and decided.
 */
import {
  type CutId,
  decodeSignState,
  type Height,
  isBitSet,
  membersOf,
  NIL,
  NO_ROUND,
  type Round,
  type SignedMessage,
  type SignState,
  sameSignedBytes,
  signStepOf,
  type Value,
  type VoteKind,
} from 'svc-consensus/machine';
import { equalBytes } from 'svc-wasm/base';
import type { Node } from '../node/node.ts';
import { type Cut, GENESIS_ID } from '../world/cut.ts';
import { signedBytesOf } from '../world/keyring.ts';
import type { Checker, WatchedWorld } from './checker.ts';

/** Whether signatures of more than two thirds exist for a vote; counted by plain arithmetic. */
function quorumExists(
  world: WatchedWorld,
  kind: VoteKind,
  height: Height,
  round: Round,
  value: Value,
  validRound: Round,
): boolean {
  const { stakes } = world.chain.trueEpoch(height).set;
  const signers = world.keyring.signersOf({ kind, height, round, validRound, value });
  let signed = 0n;
  let total = 0n;
  stakes.forEach((stake, index) => {
    total += stake;
    if (signers.has(index)) signed += stake;
  });
  return 3n * signed > 2n * total;
}

/** Whether a polka for the value exists in that round, for any valid round its votes name. */
function polkaExists(world: WatchedWorld, height: Height, round: Round, value: CutId): boolean {
  for (const validRound of world.keyring.validRoundsOf({ height, round, value }))
    if (validRound < round && quorumExists(world, 'prevote', height, round, value, validRound))
      return true;
  return false;
}

/** Whether all that a header names as signers of the cut before it did sign it. */
function areSignersTrue(world: WatchedWorld, cut: Cut): boolean {
  const signers = world.keyring.signersOf({
    kind: 'precommit',
    height: (cut.height - 1) as Height,
    round: cut.previousRound,
    validRound: NO_ROUND,
    value: cut.parentId,
  });
  return membersOf(cut.previousSigners).every((index) => signers.has(index));
}

/** One decision per height, of a cut that follows the rules, on top of the one before. */
export function agreement(): Checker {
  const decisions = new Map<number, CutId>([[0, GENESIS_ID]]);
  return {
    onDecision(world, node, cut) {
      const known = decisions.get(cut.height);
      decisions.set(cut.height, cut.id);
      if (known !== undefined && known !== cut.id)
        world.fail('agreement', `height ${cut.height}: ${known} and ${cut.id}`);
      const follows = cut.parentId === decisions.get(cut.height - 1);
      if (cut.flaw !== 'none' || !follows || !areSignersTrue(world, cut))
        world.fail('agreement', `height ${cut.height} decided with the bad cut ${cut.id}`);
      if (cut.height !== node.disk.chain.length)
        world.fail('agreement', `validator ${node.index} decided height ${cut.height} out of turn`);
    },
  };
}

/** Every certificate a node decides by holds up to a recount. */
export function certificates(): Checker {
  return {
    onDecision(world, node, cut, certificate) {
      const { height, round, value, signers } = certificate;
      const { stakes } = world.chain.trueEpoch(height).set;
      const truth = { kind: 'precommit', height, round, validRound: NO_ROUND, value } as const;
      const signed = world.keyring.signersOf(truth);
      const members = membersOf(signers);
      const total = stakes.reduce((sum, stake) => sum + stake, 0n);
      const stake = members.reduce((sum, index) => sum + (stakes[index] ?? 0n), 0n);
      const holds =
        value === cut.id &&
        members.length === certificate.signatures.length &&
        members.every((index) => signed.has(index)) &&
        3n * stake > 2n * total;
      if (!holds)
        world.fail('certificates', `validator ${node.index} decided ${value} by a bad certificate`);
    },
  };
}

/** An honest key never signs two different messages for one (height, round, kind). */
export function singleSignature(): Checker {
  const signed = new Map<number, SignedMessage[]>();
  return {
    onSigned(world, node, message) {
      const { height, round, kind } = message;
      const others = signed.get(node.index);
      if (others === undefined) {
        signed.set(node.index, [message]);
        return;
      }
      const known = lastAt(others, message);
      if (known === undefined) others.push(message);
      else if (!sameSignedBytes(known, message))
        world.fail(
          'singleSignature',
          `${node.index}/${height}/${round}/${kind}: ${known.value} and ${message.value}`,
        );
    },
  };
}

/** Of messages that mostly come in order, the one at the position of another. */
function lastAt(
  messages: readonly SignedMessage[],
  { height, round, kind }: SignedMessage,
): SignedMessage | undefined {
  return messages.findLast(
    (other) => other.height === height && other.round === round && other.kind === kind,
  );
}

/** What clocks may differ by. */
const MARGIN_MS = 10_000;

/**
 * Of two processes of one honest key, one of which was started from a copy of the other's disk, no two sign at the same height, and
 * one that signs after the other is the last to sign, a silence after the last signature of the other that its chain shows. A process that does not wait for its chain any more, and whose chain showed a signature
 * that is newer than its start and not in its record, has stopped.
 */
export function oneProcess(): Checker {
  /** By height: the process that signed there. */
  const signers = new Map<number, number>();
  /** By process: the last height in its record when its chain grew last. */
  const recorded = new Map<number, number>();
  return {
    onSigned(world, node, { height }) {
      const { index, instance } = node;
      if (index !== world.plan.copied?.index) return;
      const other = signers.get(height);
      if (other === instance) return;
      signers.set(height, instance);
      if (other !== undefined)
        world.fail('oneProcess', `both processes of validator ${index} signed at height ${height}`);
      const isForeign = (at: number) =>
        at > (recorded.get(instance) ?? 0) && (signers.get(at) ?? instance) !== instance;
      if (isForeignShown(world, node, height, isForeign))
        world.fail(
          'oneProcess',
          `validator ${index} signed at ${height}, soon after the other one`,
        );
      if (changesOf(signers) > 1)
        world.fail('oneProcess', `both processes of validator ${index} sign in turn`);
    },
    onDecision(world, node) {
      if (node.index !== world.plan.copied?.index) return;
      const bytes = node.disk.signState.read();
      const record = bytes === undefined ? undefined : decodeSignState(bytes);
      if (record === undefined) return;
      recorded.set(node.instance, record.last?.height ?? 0);
      checkStopped(world, node, record);
    },
  };
}

/** Whether the chain of a process shows that the other one signed at one of the cuts before a height for which a silence lasts. */
function isForeignShown(
  world: WatchedWorld,
  { index, disk }: Node,
  height: number,
  isForeign: (height: number) => boolean,
): boolean {
  for (let next = disk.chain.length; next > height - world.protocol.keyRules.silentCuts; next--) {
    const signed = next - 1;
    const own = world.chain.seatOf(Math.max(1, signed), index) ?? -1;
    const cut = disk.chain[next - 1]?.cut;
    const isNamed = cut !== undefined && isBitSet(cut.previousSigners, own);
    if (isNamed && isForeign(signed)) return true;
  }
  return false;
}

/** How often one process follows the other, in the order of heights. */
function changesOf(signers: ReadonlyMap<number, number>): number {
  const inOrder = [...signers].sort(([a], [b]) => a - b).map(([, instance]) => instance);
  return inOrder.filter((instance, at) => at > 0 && instance !== inOrder[at - 1]).length;
}

function checkStopped(world: WatchedWorld, node: Node, record: SignState): void {
  if (record.stopped || !node.up) return;
  const { chain } = node.disk;
  // The silence was counted from a current head: the headers up to it name signers of earlier cuts.
  const through = record.silentThrough - world.protocol.keyRules.silentCuts;
  if (through > chain.length) return;
  for (let height = through - 1; height > (record.last?.height ?? 0); height--) {
    const signed = chain[height - 1]?.cut;
    const next = chain[height]?.cut;
    if (signed === undefined || next === undefined) continue;
    if (Number(signed.timeMs) <= node.startedAtMs + MARGIN_MS) return;
    if (isBitSet(next.previousSigners, world.chain.seatOf(height, node.index) ?? -1))
      world.fail(
        'oneProcess',
        `validator ${node.index} saw a new signature at ${height}, and waits`,
      );
  }
}

/** What is on disk before a signature leaves: every input that led to it, and the record of it. */
export function durability(): Checker {
  return {
    onSigned(world, node, message) {
      if (!node.disk.isLogSynced)
        world.fail('durability', `validator ${node.index} signed with inputs not on disk`);
      if (node.disk.refusedWrites > 0)
        world.fail('durability', `validator ${node.index} signed after a write had failed`);
      const bytes = node.disk.signState.durable;
      const last = bytes === undefined ? undefined : decodeSignState(bytes)?.last;
      const isRecorded =
        last !== undefined &&
        last.height === message.height &&
        last.round === message.round &&
        last.step === signStepOf(message.kind) &&
        equalBytes(last.signedBytes, signedBytesOf(message));
      if (!isRecorded)
        world.fail('durability', `validator ${node.index} signed without a durable record`);
    },
  };
}

interface Precommitted {
  readonly height: number;
  readonly round: Round;
  readonly value: CutId;
}

/**
 * Every vote of an honest validator is justified by what really happened: prevotes are for cuts that
 * are valid and held, and respect the own lock; precommits are for polkas.
 */
export function honestVotes(): Checker {
  const locks = new Map<number, Precommitted>();
  return {
    onSigned(world, node, message) {
      if (message.value === NIL) return;
      if (message.kind === 'prevote') {
        checkCut(world, node, message.value);
        checkPrevote(world, node, message, locks.get(node.index));
      }
      if (message.kind !== 'precommit') return;
      const { height, round, value } = message;
      if (!polkaExists(world, height, round, value))
        world.fail('honestVotes', `validator ${node.index} precommitted ${value} without a polka`);
      locks.set(node.index, { height, round, value });
    },
  };
}

function checkCut(world: WatchedWorld, node: Node, value: CutId): void {
  const cut = world.cuts.get(value);
  // A chain that others have moved on no longer holds what its validator is still voting on.
  const isPast = cut !== undefined && cut.height <= node.chainState.height;
  if (cut === undefined || !(isPast || node.application.bodies.has(value)))
    world.fail('honestVotes', `validator ${node.index} prevoted ${value} without holding it`);
  else if (cut.flaw === 'invalid')
    world.fail('honestVotes', `validator ${node.index} prevoted the invalid ${value}`);
  else if (!areSignersTrue(world, cut))
    world.fail('honestVotes', `validator ${node.index} prevoted ${value} with invented signers`);
}

function checkPrevote(
  world: WatchedWorld,
  node: Node,
  message: SignedMessage,
  lock: Precommitted | undefined,
): void {
  const { height, round, validRound } = message;
  const value = message.value as CutId;
  if (validRound !== NO_ROUND && !polkaExists(world, height, validRound, value))
    world.fail('honestVotes', `validator ${node.index} prevoted ${value} on a polka never seen`);
  if (lock === undefined || lock.height !== height || lock.value === value) return;
  if (lock.round >= round) return;
  if (validRound < lock.round)
    world.fail(
      'honestVotes',
      `validator ${node.index}, locked on ${lock.value} in round ${lock.round}, prevoted ${value} in round ${round}`,
    );
}
