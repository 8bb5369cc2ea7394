/**
 * No validator lapses whose process ran: a heartbeat is sent in every epoch and holds for two more.
 */
import { livenessOf } from 'svc-ledger';
import type { Checker, WatchedWorld } from '../../checkers/checker.ts';
import type { LedgerLevel } from '../ledger-level.ts';
import type { Replica } from '../replica.ts';

/** Epochs without a heartbeat before a validator lapses. */
const EPOCHS_BEFORE = 2;

export function lapses(level: LedgerLevel): Checker {
  /** At which height a validator was seen down last. */
  const downAt = new Map<number, number>();
  let next = 1;

  function noteDown({ nodes }: WatchedWorld, height: number): void {
    const up = new Set(nodes.filter((node) => node.up).map(({ index }) => index));
    for (const { index } of nodes) if (!up.has(index)) downAt.set(index, height);
  }

  function lapsed({ state, height }: Replica, epoch: number): number | undefined {
    const since = height - EPOCHS_BEFORE * level.setting.parameters.interval;
    for (const [validator, id] of level.setting.roll.entries()) {
      const record = state.get('validators', id);
      const wasDown = (downAt.get(validator) ?? 0) > since;
      if (record !== undefined && !wasDown && livenessOf(record, epoch) === 'lapsed')
        return validator;
    }
    return undefined;
  }

  return {
    onDecision(world, node, { height }) {
      if (height !== next) return;
      next += 1;
      noteDown(world, height);
      if (height % level.setting.parameters.interval !== 0) return;
      const replica = level.replicaOf(node);
      const validator = lapsed(replica, replica.epochRecord.epoch);
      if (validator !== undefined)
        world.fail('lapses', `validator ${validator} ran and lapses at height ${height}`);
    },
  };
}
