/**
 * Questions about what really happened, answered from the signatures that exist.
 */
import type { CutId, Height, Round, Value, VoteKind } from 'svc-consensus/machine';
import { membersOf, NO_ROUND } from 'svc-consensus/machine';
import type { Cut } from '../world/cut.ts';
import type { WatchedWorld } from './checker.ts';

/** Whether signatures of more than two thirds exist for a vote; counted by plain arithmetic. */
export function quorumExists(
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
export function polkaExists(
  world: WatchedWorld,
  height: Height,
  round: Round,
  value: CutId,
): boolean {
  for (const validRound of world.keyring.validRoundsOf({ height, round, value }))
    if (validRound < round && quorumExists(world, 'prevote', height, round, value, validRound))
      return true;
  return false;
}

/** Whether everybody a header names as signer of the cut before it did sign it. */
export function areSignersTrue(world: WatchedWorld, cut: Cut): boolean {
  const signers = world.keyring.signersOf({
    kind: 'precommit',
    height: (cut.height - 1) as Height,
    round: cut.previousRound,
    validRound: NO_ROUND,
    value: cut.parentId,
  });
  return membersOf(cut.previousSigners).every((index) => signers.has(index));
}
