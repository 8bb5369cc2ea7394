/**
 * All honest nodes have the same state and the same outcomes after the same height.
 */
import type { Checker } from '../../checkers/checker.ts';
import type { LedgerLevel } from '../ledger-level.ts';

export function stateRoots(level: LedgerLevel): Checker {
  const known = new Map<number, string>();
  return {
    onDecision(world, node, { height }) {
      const result = level.replicaOf(node).executions[height - 1]?.result;
      const { stateRoot, outcomeRoot } = result ?? {};
      const outcomes = result?.events.outcomes.map(
        ({ transactionId, blockId, kind, reason, fee }) =>
          `${transactionId} ${blockId} ${kind} ${reason} ${fee}`,
      );
      const found = [stateRoot, outcomeRoot, ...(outcomes ?? [])].join('\n');
      const before = known.get(height);
      if (before === undefined) world.digest.mixText(found);
      else if (before !== found)
        world.fail('stateRoots', `validator ${node.index}, height ${height}: another state`);
      known.set(height, found);
    },
  };
}
