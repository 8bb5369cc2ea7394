/**
 * Rounds only grow, and nobody is drawn into a round by Byzantine votes alone.
 */
import type { Checker } from './checker.ts';

export function rounds(): Checker {
  /** By height: the highest round any honest validator has entered. */
  const reached = new Map<number, number>();
  return {
    onStep(world, node, before, _input, { state, rows }) {
      const { height } = state.context;
      const { round } = state.round;
      if (before.context.height === height && before.round.round === round) return;
      const honest = reached.get(height) ?? -1;
      if (rows.includes(19) && !rows.includes(17) && round > honest)
        world.fail(
          'rounds',
          `validator ${node.index} was drawn to round ${round} of height ${height}`,
        );
      if (before.context.height === height && round < before.round.round)
        world.fail('rounds', `validator ${node.index} went back to round ${round}`);
      if (round > honest) reached.set(height, round);
    },
  };
}
