/**
 * Every vote of an honest validator is justified by what really happened: prevotes are for cuts that
 * are valid and held, and respect the own lock; precommits are for polkas.
 */
import type { CutId, Round, SignedMessage } from 'svc-consensus/machine';
import { NIL, NO_ROUND } from 'svc-consensus/machine';
import type { Node } from '../node/node.ts';
import type { Checker, WatchedWorld } from './checker.ts';
import { areSignersTrue, polkaExists } from './truth.ts';

interface Precommitted {
  readonly height: number;
  readonly round: Round;
  readonly value: CutId;
}

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
