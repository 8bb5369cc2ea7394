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

const KEYS: typeof KEY_RULES = {
  ...KEY_RULES,
  silentCuts: SILENT_CUTS,
  holdBackCuts: () => HOLD_BACK_CUTS,
};

/** So little that a few liars can fill it: the messages of a real flood would take longer than the rest of a seed. */
const INBOX_LIMITS: InboxLimits = { units: 256, checkedUnits: 2_048, batch: 32 };

export type Protocol = Readonly<typeof PROTOCOL>;

export const PROTOCOL = {
  rules: RULES,
  checkCertificate,
  checkPreviousSigners,
  isClaimProven,
  acceptEvidence,
  creditSigners,
  isTimeAllowed,
  recover,
  /** How a key without a record waits, and how it hears of another holder. */
  keyRules: KEYS,
  /** The epoch whose set decides a height. */
  epochOf,
  /** The height whose set says who sat on the seat that evidence names. */
  judgedAt: (offenceHeight: number, _cutHeight: number): number => offenceHeight,
  /** The height whose set says which key a seat signs with. */
  keyedAt: (height: number): number => height,
  appendLog: (disk: Disk, input: Input): void => disk.append(input),
  syncLog: (disk: Disk): void => disk.sync(),
  signStateOf: (disk: Disk): SignStateStorage => disk.signState,
  evidenceOf: (disk: Disk): EvidenceRecords => disk.evidence,
  votesIn: votesOf,
  isReportSettled,
  /** Which messages have their signatures checked. */
  admit,
  /** What others may ask for. */
  questionUnits: QUESTION_UNITS,
  inboxLimits: INBOX_LIMITS,
  /** Who pays for what a neighbour hands over. */
  accountOf,
  /** How long a process waits for the start of a height before it looks at its clock again. */
  startLookMillis: START_LOOK_MILLIS as number,
  /** By what a packet is recognised that came before. */
  keyOf: (message: WireMessage): unknown => message,
  /** What a node sends; all of it, unless a mutant forgets something. */
  sends: (_message: WireMessage): boolean => true,
};
