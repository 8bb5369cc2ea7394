/**
 * Cut times keep their distance always, and the pace comes back once the network has healed.
 */
import { HOLD_BACK_MILLIS } from 'svc-consensus/shell';
import type { Checker, WatchedWorld } from './checker.ts';

/**
 * What one cut may be late without any debt. With liars whose stake makes every honest vote needed,
 * a lock that only one validator knows of lasts until it is its turn to propose: once around. A validator that came back
 * late, from an absence or beside its twin, and is needed lets all wait while it holds back.
 */
function slackMs(world: WatchedWorld): number {
  const { timing } = world.protocol.rules;
  const rounds = world.plan.byzantine.size === 0 ? 3 : world.plan.validators + 1;
  const first = timing.proposeMs + 2 * timing.voteMs;
  const { lateReturn, staleTwin, copied } = world.plan;
  const mayHoldBack = [lateReturn, staleTwin, copied].some((mishap) => mishap !== undefined);
  const heldBack = mayHoldBack ? HOLD_BACK_MILLIS : 0;
  return heldBack + rounds * first + 3 * timing.perRoundMs * ((rounds * (rounds - 1)) / 2);
}

export function pace(): Checker {
  const times = new Map<number, bigint>([[0, 0n]]);
  return {
    onDecision(world, _node, cut) {
      const { gapMs, paceMs } = world.protocol.rules.timing;
      const distance = cut.timeMs - (times.get(cut.height - 1) ?? cut.timeMs);
      if (distance < gapMs) world.fail('pace', `height ${cut.height} came after ${distance} ms`);
      if (cut.timeMs < paceMs * BigInt(cut.height))
        world.fail('pace', `height ${cut.height} came before it was due`);
      times.set(cut.height, cut.timeMs);
    },
    atEnd: checkReturn,
  };
}

/**
 * Fails a world that does not catch up with its pace once faults have ended. Worlds in which needed validators stay slow are
 * left out: every height there waits for rounds long enough for them.
 */
function checkReturn(world: WatchedWorld): void {
  if (world.plan.staysSlow) return;
  const { timing } = world.protocol.rules;
  const chain = world.honest[0]?.disk.chain ?? [];
  const healedAt = world.healedAtMs ?? world.now;
  const last = chain[chain.length - 1]?.cut;
  if (last === undefined || Number(last.timeMs) < healedAt) return;
  const since = chain.filter(({ cut }) => Number(cut.timeMs) >= healedAt).length;
  const debtAtHeal = Math.max(0, healedAt - Number(timing.paceMs) * (last.height - since));
  const repaid = since * Number(timing.paceMs - timing.gapMs);
  const debt = Number(last.timeMs) - Number(timing.paceMs) * last.height;
  if (debt > Math.max(0, debtAtHeal - repaid) + slackMs(world))
    world.fail('pace', `${debt} ms late ${since} cuts after healing, ${debtAtHeal} ms before`);
}
