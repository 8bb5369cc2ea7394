/**
 * What a node holds stays within its limits, whatever it is sent.
 */
import { limits } from 'svc-consensus/machine';
import type { Checker } from './checker.ts';

const { NEXT_HEIGHT_ROUNDS_MAX, POLKAS_MAX, PROPOSALS_PER_ROUND_MAX, SUMMARY_ROUNDS_MAX } = limits;
/** The round of the own certificate, and rounds that headers claim. */
const PREVIOUS_ROUNDS_MAX = 1 + limits.CLAIMED_ROUNDS_MAX;

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
