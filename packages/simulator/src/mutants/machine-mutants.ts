/**
 * Broken guards of the machine.
 */
import { NO_ROUND, TIMING } from 'svc-consensus/machine';
import { PROTOCOL } from '../world/protocol.ts';
import type { Mutant } from './mutant.ts';
import { guardMutant, mutant } from './mutant.ts';

/** Its chain is slow and does not stop: skewed clocks show it. */
export const AHEAD_NOT_WIDENED: Mutant = mutant(
  'aheadNotWidened',
  'a cut may be as little ahead of the clock in later rounds as in the first',
  {
    rules: {
      ...PROTOCOL.rules,
      timing: { ...TIMING, cutTimeAheadMsMax: TIMING.clockPrecisionMs },
    },
  },
);

export const MACHINE_MUTANTS: readonly Mutant[] = [
  guardMutant('noLockCheck', 'a fresh proposal is prevoted without looking at the lock', {
    mayPrevoteFresh: () => true,
  }),
  guardMutant('noLockSet', 'a polka does not lock', { lockAfterPolka: (locked) => locked }),
  guardMutant('halfQuorum', 'more than half is taken for a quorum', {
    quorum: (set, stake) => 2n * stake > set.totalStake,
  }),
  guardMutant('line29Dropped', 'a polka older than the lock unlocks', {
    mayPrevoteAgain: () => true,
  }),
  guardMutant('polkaNotChecked', 'a proposal claims a valid round and is believed', {
    polkaHolds: () => true,
  }),
  guardMutant('invalidPrevoted', 'a verdict is taken for a yes', { judgedValid: () => true }),
  guardMutant('timerNotCancelled', 'timers of former rounds still act', {
    timerIsDue: (state, timer) => timer === 'precommit' || timer === state.step,
  }),
  guardMutant('skipByHeads', 'a third of the validators, not of the stake, draws to a round', {
    reachedRound: (_set, highest) => {
      const order = [...highest].sort((a, b) => b - a);
      return order[Math.floor(highest.length / 3)] ?? NO_ROUND;
    },
  }),
  mutant('roundsStayShort', 'later rounds wait no longer than the first', {
    rules: { ...PROTOCOL.rules, timing: { ...PROTOCOL.rules.timing, perRoundMs: 0 } },
  }),
];
