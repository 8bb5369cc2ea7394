/**
 * Protocols with one rule broken on purpose. The simulator must notice; if it does not, the simulator is not good enough.
 */
import {
  acceptEvidence,
  admit,
  checkCertificate,
  creditSigners,
  type FinalityState,
  type Guards,
  keepClaimedRound,
  keepPreviousCommit,
  limits,
  membersOf,
  NO_ROUND,
  type PreviousCommits,
  recover,
  type SignedMessage,
  type SignStateStorage,
  stakeOfBitmap,
  type Vote,
  votedBy,
} from 'svc-consensus/machine';
import type { EvidenceRecords, KEY_RULES } from 'svc-consensus/shell';
import { DiskFullError } from '../base/failure.ts';
import { epochOf } from '../world/cut.ts';
import type { Disk } from '../world/disk.ts';
import { PROTOCOL, type Protocol } from '../world/protocol.ts';

export interface Mutant {
  readonly name: string;
  readonly breaks: string;
  readonly protocol: Protocol;
}

/**
 * A protocol with one rule broken on purpose. The simulator must notice; if it does not, the
 * simulator is not good enough.
 */
export function mutant(name: string, breaks: string, change: Partial<Protocol>): Mutant {
  return { name, breaks, protocol: { ...PROTOCOL, ...change } };
}

function guardMutant(name: string, breaks: string, change: Partial<Guards>): Mutant {
  const { rules } = PROTOCOL;
  return mutant(name, breaks, { rules: { ...rules, guards: { ...rules.guards, ...change } } });
}

function unsyncedSignState(disk: Disk): SignStateStorage {
  const file = disk.signState;
  return {
    read: () => file.read(),
    writeTemporary: (bytes) => file.writeTemporary(bytes),
    syncTemporary: () => {},
    renameTemporary: () => file.renameTemporary(),
    syncDirectory: () => {},
  };
}

/** Each record reaches the disk only when the next one is written. */
function lateSignState(disk: Disk): SignStateStorage {
  const file = disk.signState;
  let waiting: Uint8Array | undefined;
  return {
    read: () => file.read(),
    writeTemporary(bytes) {
      const isFirst = file.read() === undefined;
      const late = isFirst ? bytes : waiting;
      waiting = bytes;
      if (late === undefined) return;
      file.writeTemporary(late);
      file.syncTemporary();
      file.renameTemporary();
      file.syncDirectory();
    },
    syncTemporary: () => {},
    renameTemporary: () => {},
    syncDirectory: () => {},
  };
}

function keyMutant(name: string, breaks: string, change: Partial<typeof KEY_RULES>): Mutant {
  return mutant(name, breaks, { keyRules: { ...PROTOCOL.keyRules, ...change } });
}

/** An interval whose offences are accepted for one cut. */
const ONE_CUT_OLD = 0.1;

/** Chance needs very many seeds for this one; schedules with twins meet it early. */
export const CONTRADICTIONS_ACKNOWLEDGED: Mutant = mutant(
  'contradictionsAcknowledged',
  'the answer to a report is sent once, be it lost or not',
  { isReportSettled: () => true },
);

function forgetful(_disk: Disk): EvidenceRecords {
  return {
    foundMessages: [],
    foundConflicts: [],
    appendMessages: () => {},
    appendConflict: () => {},
    sync: () => {},
    resetConflicts: () => {},
    close: () => {},
  };
}

function isRising({ context, keeper, decided }: FinalityState, message: SignedMessage): boolean {
  const { kind, height, round, validatorIndex } = message;
  if (kind === 'proposal' || height !== context.height || decided !== undefined) return false;
  const held = keeper.far[validatorIndex]?.round ?? keeper.round + limits.ROUNDS_AHEAD_MAX;
  return round > held;
}

function isLate({ previous, context }: FinalityState, message: SignedMessage): boolean {
  const { kind, height, round, value } = message;
  if (previous === undefined || kind !== 'precommit' || height !== context.height - 1) return false;
  return value === previous.certificate.value && !previous.tables.has(round);
}

const { rules } = PROTOCOL;

function isFirstOfRound({ previous, context }: FinalityState, message: SignedMessage): boolean {
  if (previous === undefined || message.kind !== 'precommit') return false;
  if (message.height !== context.height - 1 || message.value !== previous.certificate.value)
    return false;
  return hasRoomFor(previous, message.round);
}

function hasRoomFor({ tables }: PreviousCommits, round: Vote['round']): boolean {
  return !tables.has(round) && tables.size <= limits.CLAIMED_ROUNDS_MAX;
}

function withRoundOf(previous: PreviousCommits, vote: Vote): PreviousCommits | undefined {
  const { set, certificate, tables } = previous;
  if (vote.height !== certificate.height || vote.value !== certificate.value) return undefined;
  const slots = set.stakes.map((_, index) => (index === vote.validatorIndex ? vote : undefined));
  const { value, validRound, validatorIndex } = vote;
  const stake = set.stakes[validatorIndex] ?? 0n;
  const table = {
    slots,
    voters: 1n << BigInt(validatorIndex),
    stake,
    tallies: [{ value, validRound, stake }],
  };
  return { ...previous, tables: new Map(tables).set(vote.round, table) };
}

/** Broken rules of who sits where, for level ledger: elsewhere every validator keeps its seat. */
export const COMMITTEE_MUTANTS: readonly Mutant[] = [
  mutant('oldSetAtBoundary', 'the first cut of an epoch is decided by the set before', {
    epochOf: (rules, height) => epochOf(rules, Math.max(1, height - 1)),
  }),
  mutant('oldOffenceByNewSet', 'evidence of an old epoch is judged by the seats of the new one', {
    judgedAt: (_offenceHeight, cutHeight) => cutHeight,
  }),
  mutant('seatKeysKept', 'the key of a seat is looked up once and kept', { keyedAt: () => 1 }),
  mutant(
    'nextKeyTrusted',
    'the next key signs at once, whatever is known of the key before and is heard',
    {
      keyRules: { ...PROTOCOL.keyRules, holdBackMillis: () => 0, nextRecord: (proof) => proof },
    },
  ),
  mutant('silenceWithoutSeat', 'the silence of a new record passes while no validator can sign', {
    keyRules: { ...PROTOCOL.keyRules, canHearTwin: () => true },
  }),
];

/** All mutants. */
export const MUTANTS: readonly Mutant[] = [
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
  mutant('syncSkipped', 'neither the log nor the sign state is synced', {
    syncLog: () => {},
    signStateOf: unsyncedSignState,
  }),
  mutant('logNotSynced', 'the log is not synced before a signature exists', { syncLog: () => {} }),
  mutant('fullDiskIgnored', 'what a full disk refuses counts as written', {
    appendLog(disk, input) {
      try {
        disk.append(input);
      } catch (error) {
        if (!(error instanceof DiskFullError)) throw error;
      }
    },
  }),
  mutant('signBeforeSync', 'a signature leaves before its record is durable', {
    signStateOf: lateSignState,
  }),
  mutant('lockNotPersisted', 'the lock is forgotten in a crash', {
    recover(source, rules) {
      const result = recover(source, rules);
      const round = { ...result.state.round, locked: undefined };
      return { ...result, state: { ...result.state, round } };
    },
  }),
  mutant('noPolkaCertificate', 'a polka is never shown to those who doubt it', {
    sends: (message) => message.kind !== 'polkaCertificate',
  }),
  mutant('signersCountedTwice', 'a certificate counts every signer twice', {
    checkCertificate(set, certificate, verify) {
      const fault = checkCertificate(set, certificate, verify);
      if (fault !== 'no_quorum') return fault;
      if (2n * stakeOfBitmap(set, certificate.signers) <= set.quorumFloor) return fault;
      const isSigned = membersOf(certificate.signers).every((index, at) => {
        const signature = certificate.signatures[at];
        return signature !== undefined && verify(votedBy(certificate, index), signature);
      });
      return isSigned ? undefined : fault;
    },
  }),
  mutant('signaturesNotChecked', 'a certificate is believed without its signatures', {
    checkCertificate: (set, certificate) => checkCertificate(set, certificate, () => true),
  }),
  mutant('bitmapNotChecked', 'the claim about previous signers is believed', {
    checkPreviousSigners: () => ({ type: 'held' }),
  }),
  mutant('evidenceTwice', 'an offence can be accepted again', {
    acceptEvidence: (_register, evidence, height, ports) =>
      acceptEvidence(new Map(), evidence, height, ports),
  }),
  mutant('windowOffByOne', 'attendance counts for the window of the cut before', {
    creditSigners: (rule, attendance, height, signers) =>
      creditSigners(rule, attendance, (height - 1) as typeof height, signers),
  }),
  mutant('wrongSetAtBoundary', 'the first cut of an epoch is decided by the old set', {
    epochOf: (rules, height) => epochOf(rules, Math.max(1, height - 1)),
  }),
  mutant('timeNotChecked', 'a cut may state any time', { isTimeAllowed: () => true }),
  keyMutant('silenceFromStart', 'the silence of a new record counts from the head at the start', {
    silentCuts: 1,
    silenceBase: (headAtStart) => headAtStart,
  }),
  keyMutant('deafToOwnKey', 'a key does not hear that another process signs with it', {
    silentCuts: 1,
    isOwn: () => false,
  }),
  keyMutant(
    'restoredAndReady',
    'a disk that was far behind signs as soon as its chain is current',
    {
      holdBackMillis: () => 0,
      isOwn: () => false,
    },
  ),
  keyMutant('headersNotCompared', 'final headers are not compared with the record', {
    isLacking: () => false,
  }),
  keyMutant('signsAtStart', 'a validator signs as soon as its chain is current', {
    holdBackMillis: () => 0,
  }),
  keyMutant('listensTwoCuts', 'a validator listens for two cuts after a start', {
    holdBackCuts: () => 2,
  }),
  keyMutant('startIgnored', 'a signature that is newer than the start stops nothing', {
    isMadeSince: () => false,
  }),
  keyMutant('silenceNeverMadeUp', 'what a silence refused is not signed when it ends', {
    owedAfterSilence: () => [],
  }),
  mutant('noVoteReports', 'no validator reports who said what', {
    sends: (message) => message.kind !== 'voteReport',
  }),
  mutant('certificatesNotCompared', 'votes inside certificates are not compared with votes held', {
    votesIn: () => [],
  }),
  mutant('evidenceTooOldAtOnce', 'offences are too old after one cut, whatever the interval', {
    acceptEvidence: (register, evidence, height, ports) =>
      acceptEvidence(register, evidence, height, { ...ports, interval: ONE_CUT_OLD }),
  }),
  mutant('failuresForgotten', 'a packet whose signatures did not hold is checked again', {
    keyOf: () => ({}),
  }),
  mutant('votesForgotten', 'messages of earlier heights and evidence are in memory only', {
    evidenceOf: forgetful,
  }),
  mutant('latePrecommitsUnbounded', 'late precommits of any round have their signatures checked', {
    admit: (state, message) => (isLate(state, message) ? 'verify' : admit(state, message)),
  }),
  mutant(
    'farVotesUnbounded',
    'every vote of a round beyond the held one has its signature checked',
    {
      admit: (state, message) => (isRising(state, message) ? 'verify' : admit(state, message)),
    },
  ),
  mutant('sendersShareOneLine', 'who comes first has the room of the inbox', {
    accountOf: () => 'everybody',
  }),
  mutant('originBelieved', 'what is passed on is charged to the validator that it names', {
    accountOf: (from) => from,
  }),
  mutant('questionsFree', 'what a validator asks for is not counted', {
    questionUnits: { perPeriod: Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER },
  }),
  mutant('latePrecommitsIgnored', 'who is slow and signs after the decision is not heard', {
    admit: (state, message) =>
      message.height < state.context.height ? 'ignore' : admit(state, message),
  }),
  mutant('lateRoundsAsTheyCome', 'rounds of late precommits are held as they come, up to a limit', {
    admit: (state, message) => (isFirstOfRound(state, message) ? 'verify' : admit(state, message)),
    rules: {
      ...rules,
      guards: {
        ...rules.guards,
        keepPreviousCommit: (previous, vote) =>
          keepPreviousCommit(previous, vote) ??
          (hasRoomFor(previous, vote.round) ? withRoundOf(previous, vote) : undefined),
        keepClaimedRound: (previous, certificate) =>
          hasRoomFor(previous, certificate.round)
            ? keepClaimedRound(previous, certificate)
            : undefined,
      },
    },
  }),
  guardMutant('claimedRoundsRefused', 'nothing but the round of the own certificate is held', {
    keepClaimedRound: () => undefined,
  }),
];
