/**
 * Every registered block is executed exactly once, in the cut after the one that registered it.
 */
import type { Checker, WatchedWorld } from '../../checkers/checker.ts';
import type { Node } from '../../node/node.ts';
import type { LedgerLevel } from '../ledger-level.ts';

export function execution(level: LedgerLevel): Checker {
  return {
    atEnd(world) {
      for (const node of world.honest) checkNode(world, level, node);
    },
  };
}

function checkNode(world: WatchedWorld, level: LedgerLevel, node: Node): void {
  const { executions } = level.replicaOf(node);
  const executedAt = new Map<string, number>();
  for (const { input } of executions)
    for (const { id } of input.executed) {
      if (executedAt.has(id)) world.fail('execution', `validator ${node.index}: ${id} twice`);
      executedAt.set(id, input.height);
    }
  for (const { input } of executions.slice(0, -1))
    for (const { id } of input.registered) {
      const at = executedAt.get(id);
      if (at !== input.height + 1)
        world.fail('execution', `validator ${node.index}: ${id} executed at ${at}`);
      executedAt.delete(id);
    }
  if (executedAt.size > 0)
    world.fail('execution', `validator ${node.index} executed what nobody registered`);
}
