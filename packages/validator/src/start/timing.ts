/**
 * The rules that a validator works by. Waits are made for a pace of 2,500 ms; a faster network waits less for the
 * others, though never less than disks and threads need, and a slower one no longer. What concerns clocks stays
 * as it is.
 */
import {
  checkPreviousSigners,
  GUARDS,
  type Rules,
  recover,
  TIMING,
  type Timing,
} from 'svc-finality';

/** The rules of the machine and of the shell around it. A simulation replaces one of them by a broken one. */
export interface ValidatorRules extends Rules {
  readonly checkPreviousSigners: typeof checkPreviousSigners;
  readonly recover: typeof recover;
}

/** The shortest waits, as parts of those of the main network: 200 ms for a proposal. */
const SCALE_MIN = 0.2;

export function timingFor(paceMillis: number): Timing {
  const scale = Math.min(1, Math.max(SCALE_MIN, paceMillis / Number(TIMING.paceMs)));
  const scaled = (millis: number) => Math.round(millis * scale);
  return {
    ...TIMING,
    proposeMs: scaled(TIMING.proposeMs),
    voteMs: scaled(TIMING.voteMs),
    perRoundMs: scaled(TIMING.perRoundMs),
    antiEntropyMs: scaled(TIMING.antiEntropyMs),
    paceMs: BigInt(paceMillis),
    gapMs: BigInt(Math.floor((paceMillis * 2) / 5)),
  };
}

export function rulesFor(paceMillis: number): ValidatorRules {
  return { guards: GUARDS, timing: timingFor(paceMillis), checkPreviousSigners, recover };
}
