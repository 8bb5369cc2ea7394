/**
 * Nobody gives up before its time: a timer acts only after the whole wait of the round it was set in.
 */
import type { FinalityState, RoundTimer, Row } from 'svc-consensus/machine';
import { roundTimerMs } from 'svc-consensus/machine';
import type { Node } from '../node/node.ts';
import type { Checker } from './checker.ts';

const SETS: readonly (readonly [Row, RoundTimer])[] = [
  [11, 'prevote'],
  [16, 'precommit'],
];
const ACTS: readonly (readonly [Row, RoundTimer])[] = [
  [10, 'propose'],
  [15, 'prevote'],
  [18, 'precommit'],
];

interface Watch {
  readonly life: number;
  readonly since: Map<RoundTimer, number>;
}

export function timeouts(): Checker {
  const watches = new Map<Node, Watch>();
  return {
    onStep(world, node, before, input, { state, rows }) {
      if (rows.length === 0) return;
      const watch = watches.get(node);
      if (input.type === 'timer' && watch !== undefined && watch.life === node.life)
        for (const [row, timer] of ACTS) {
          const since = watch.since.get(timer);
          if (rows[0] !== row || since === undefined) continue;
          const waited = world.now - since;
          const due = roundTimerMs(world.protocol.rules.timing, timer, before.round.round);
          if (waited < due - 0.001)
            world.fail(
              'timeouts',
              `validator ${node.index}: row ${row} after ${waited} ms of ${due}`,
            );
        }
      watchRound(watches, node, before, state, world.now);
      for (const [row, timer] of SETS)
        if (rows.includes(row)) watches.get(node)?.since.set(timer, world.now);
    },
  };
}

/** A round that began before a restart has timers whose beginning is not known here. */
function watchRound(
  watches: Map<Node, Watch>,
  node: Node,
  before: FinalityState,
  after: FinalityState,
  now: number,
): void {
  const watch = watches.get(node);
  const isNew = before.context !== after.context || before.round.round !== after.round.round;
  if (!isNew && watch?.life === node.life) return;
  const since = new Map<RoundTimer, number>(isNew ? [['propose', now]] : []);
  watches.set(node, { life: node.life, since });
}
