/**
 * The rules that a validator works by. Waits are made for a pace of 2,500 ms; a faster network waits less for the
 * others, though never less than disks and threads need, and a slower one no longer. What concerns clocks stays
 * as it is.
 */
import {
  admit,
  checkPreviousSigners,
  GUARDS,
  type Height,
  isClaimProven,
  type Round,
  type Rules,
  recover,
  SILENT_CUTS,
  type Signer,
  TIMING,
  type Timing,
  type UnsignedMessage,
  votesOf,
} from 'svc-consensus/machine';
import { ATTENDANCE_WINDOWS, shortestMillis } from 'svc-ledger';
import { INBOX_LIMITS, type InboxLimits } from '../peers/inbox.ts';
import { QUESTION_UNITS, type QuestionUnits } from '../peers/question-budget.ts';
import { nextRecord } from './next-record.ts';

/** The rules of the machine and of the shell around it. A simulation replaces one of them by a broken one. */
export interface ValidatorRules extends Rules {
  readonly checkPreviousSigners: typeof checkPreviousSigners;
  readonly isClaimProven: typeof isClaimProven;
  readonly recover: typeof recover;
  /** The votes of a certificate, which are compared with those that are held. */
  readonly votesIn: typeof votesOf;
  readonly isReportSettled: typeof isReportSettled;
  /** Which messages have their signatures checked. */
  readonly admit: typeof admit;
  /** What one validator may ask of this one. */
  readonly questionUnits: QuestionUnits;
  readonly inboxLimits: InboxLimits;
  /** The account that a neighbour's message is charged to: inbox space, bad messages, queries. */
  readonly accountOf: (from: string, neighbour: string) => string;
  /** The longest wait for the start of a height before the clock is read again. */
  readonly startLookMillis: number;
  /** How long a key without a record stays silent, watching for another holder. */
  readonly silentCuts: number;
  /** The head that this silence counts from: the one that was shown to be current, not the one at the start. */
  readonly silenceBase: (headAtStart: number, headWhenCurrent: number) => number;
  /**
   * Whether the silence of a new record can begin: without a seat the key never signs, and a second holder is not
   * seen.
   */
  readonly canHearTwin: (own: number | undefined) => boolean;
  /** Whether a message of the validator at an index is of the own key. */
  readonly isOwn: (index: number, own: number | undefined) => boolean;
  /** Whether a final header says that the own key signed what the record lacks. */
  readonly isLacking: (record: Signer, height: Height, round: Round) => boolean;
  /** Whether a signature for a cut of some time was made after a validator started, by the clock here. */
  readonly isMadeSince: (cutTimeMillis: number, startedAtMillis: number) => boolean;
  /** For how many cuts a validator listens before it signs, after a start, where epochs have so many cuts. */
  readonly holdBackCuts: (interval: number) => number;
  /** After how long without a cut such listening ends, if the chain lacked so many heights; 0 without listening. */
  readonly holdBackMillis: (heights: number, paceMillis: number) => number;
  /** Which messages that were refused during a silence are signed when it ends, in the current round. */
  readonly owedAfterSilence: (refused: readonly UnsignedMessage[]) => readonly UnsignedMessage[];
}

/**
 * Whether a report is acknowledged, after which it does not come again. One that contradicts messages held here is not:
 * those are the answer to it, which may get lost, until the offence is known here.
 */
export function isReportSettled(contradictions: number): boolean {
  return contradictions === 0;
}

/**
 * A signer of a height had the one before it decided, so more than two thirds had the one before that: a chain that
 * lacks fewer heights than this may belong to many at once, and the key signed at most this far after the head that
 * others show.
 */
export const BEHIND_HEIGHTS = 2;

/**
 * Headers after the first of so many cuts name another process of the key, unless its votes came too late each time. Of 225 simulated
 * copies two such cuts left six unnoticed, four left two, eight left none. Two cuts of an attendance window are left to sign.
 */
const HOLD_BACK_CUTS = 8;
/** How long a validator whose chain lacked two heights waits for a cut at most: many cannot lack that much at once. */
export const HOLD_BACK_MILLIS = 60_000;
/**
 * Other validators listen as long as those cuts take, since they may be needed for the next one, but no shorter than
 * this on fast networks.
 */
const HOLD_BACK_MILLIS_MIN = 5_000;
/** Tolerated clock difference: a signature that looks slightly younger than the start may be older. */
const CLOCK_ERROR_MILLIS = 10_000;

type KeyRules = Pick<
  ValidatorRules,
  | 'silentCuts'
  | 'silenceBase'
  | 'canHearTwin'
  | 'isOwn'
  | 'isLacking'
  | 'isMadeSince'
  | 'holdBackCuts'
  | 'holdBackMillis'
  | 'owedAfterSilence'
> & {
  /** How the record of the next key begins, beside the key in force. */
  readonly nextRecord: typeof nextRecord;
};

export const KEY_RULES: KeyRules = {
  silentCuts: SILENT_CUTS,
  silenceBase: (_headAtStart, headWhenCurrent) => headWhenCurrent,
  canHearTwin: (own) => own !== undefined,
  isOwn: (index, own) => index === own,
  isLacking: (record, height, round) => record.lacksPrecommit(height, round),
  isMadeSince: (cutTime, startedAt) => cutTime > startedAt + CLOCK_ERROR_MILLIS,
  holdBackCuts: (interval) =>
    Math.max(BEHIND_HEIGHTS, Math.min(HOLD_BACK_CUTS, interval / ATTENDANCE_WINDOWS - 2)),
  holdBackMillis: (heights, paceMillis) =>
    heights >= BEHIND_HEIGHTS
      ? HOLD_BACK_MILLIS
      : Math.max(HOLD_BACK_MILLIS_MIN, HOLD_BACK_CUTS * paceMillis),
  owedAfterSilence: (refused) => refused,
  nextRecord,
};

/** What a neighbour passes on is charged to it, apart from what is its own: the validator that it names may know nothing of it. */
export function accountOf(from: string, neighbour: string): string {
  return neighbour === from ? from : `passed on by ${neighbour}`;
}

/** Longer than a height normally waits for its start, so that it costs no turn then. */
export const START_LOOK_MILLIS = 5_000;

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
    gapMs: BigInt(shortestMillis(paceMillis)),
  };
}

export function rulesFor(paceMillis: number): ValidatorRules {
  const timing = timingFor(paceMillis);
  return {
    guards: GUARDS,
    timing,
    checkPreviousSigners,
    isClaimProven,
    recover,
    votesIn: votesOf,
    isReportSettled,
    admit,
    questionUnits: QUESTION_UNITS,
    inboxLimits: INBOX_LIMITS,
    accountOf,
    startLookMillis: START_LOOK_MILLIS,
    ...KEY_RULES,
  };
}
