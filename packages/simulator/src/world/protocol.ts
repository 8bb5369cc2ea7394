/**
 * The shipped functions a node is made of, gathered so that a mutant can replace exactly one.
 */
import {
  acceptEvidence,
  admit,
  checkCertificate,
  checkPreviousSigners,
  creditSigners,
  type Input,
  isClaimProven,
  isTimeAllowed,
  RULES,
  type Rules,
  recover,
  type SignStateStorage,
  votesOf,
  type WireMessage,
} from 'svc-consensus/machine';
import {
  accountOf,
  type EvidenceRecords,
  type InboxLimits,
  isReportSettled,
  KEY_RULES,
  QUESTION_UNITS,
  type QuestionUnits,
  START_LOOK_MILLIS,
} from 'svc-consensus/shell';
import { epochOf } from './cut.ts';
import type { Disk } from './disk.ts';

/**
 * The silence of a record that is not complete, in cuts; the shipped one outlasts most runs. One process that is not heard for
 * a while is not in any header: of 225 copied disks five such cuts were too few for one, and three ended in seed 73 of three to seven
 * validators before any final header could tell.
 */
const SILENT_CUTS = 12;
/** As where epochs are long. */
const HOLD_BACK_CUTS = 8;

/** So little that a few liars can fill it: the messages of a real flood would take longer than the rest of a seed. */
const INBOX_LIMITS: InboxLimits = { units: 256, checkedUnits: 2_048, batch: 32 };

export interface Protocol {
  readonly rules: Rules;
  readonly checkCertificate: typeof checkCertificate;
  readonly checkPreviousSigners: typeof checkPreviousSigners;
  readonly isClaimProven: typeof isClaimProven;
  readonly acceptEvidence: typeof acceptEvidence;
  readonly creditSigners: typeof creditSigners;
  readonly isTimeAllowed: typeof isTimeAllowed;
  readonly recover: typeof recover;
  /** How a key without a record waits, and how it hears of another holder. */
  readonly keyRules: typeof KEY_RULES;
  /** The epoch whose set decides a height. */
  readonly epochOf: typeof epochOf;
  /** The height whose set says who sat on the seat that evidence names. */
  readonly judgedAt: (offenceHeight: number, cutHeight: number) => number;
  /** The height whose set says which key a seat signs with. */
  readonly keyedAt: (height: number) => number;
  readonly appendLog: (disk: Disk, input: Input) => void;
  readonly syncLog: (disk: Disk) => void;
  readonly signStateOf: (disk: Disk) => SignStateStorage;
  readonly evidenceOf: (disk: Disk) => EvidenceRecords;
  readonly votesIn: typeof votesOf;
  readonly isReportSettled: typeof isReportSettled;
  /** Which messages have their signatures checked. */
  readonly admit: typeof admit;
  /** What others may ask for. */
  readonly questionUnits: QuestionUnits;
  readonly inboxLimits: InboxLimits;
  /** Who pays for what a neighbour hands over. */
  readonly accountOf: typeof accountOf;
  /** How long a process waits for the start of a height before it looks at its clock again. */
  readonly startLookMillis: number;
  /** By what a packet is recognised that came before. */
  readonly keyOf: (message: WireMessage) => unknown;
  /** What a node sends; all of it, unless a mutant forgets something. */
  readonly sends: (message: WireMessage) => boolean;
}

export const PROTOCOL: Protocol = {
  rules: RULES,
  checkCertificate,
  checkPreviousSigners,
  isClaimProven,
  acceptEvidence,
  creditSigners,
  isTimeAllowed,
  recover,
  keyRules: { ...KEY_RULES, silentCuts: SILENT_CUTS, holdBackCuts: () => HOLD_BACK_CUTS },
  epochOf,
  judgedAt: (offenceHeight) => offenceHeight,
  keyedAt: (height) => height,
  appendLog: (disk, input) => disk.append(input),
  syncLog: (disk) => disk.sync(),
  signStateOf: (disk) => disk.signState,
  evidenceOf: (disk) => disk.evidence,
  votesIn: votesOf,
  isReportSettled,
  admit,
  questionUnits: QUESTION_UNITS,
  inboxLimits: INBOX_LIMITS,
  accountOf,
  startLookMillis: START_LOOK_MILLIS,
  keyOf: (message) => message,
  sends: () => true,
};
