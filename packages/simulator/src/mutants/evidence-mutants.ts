/**
 * Broken rules of how equivocations come to light.
 */
import { acceptEvidence } from 'svc-consensus/machine';
import type { EvidenceRecords } from 'svc-consensus/shell';
import type { Disk } from '../world/disk.ts';
import type { Mutant } from './mutant.ts';
import { mutant } from './mutant.ts';

/** An interval whose offences are accepted for one cut. */
const ONE_CUT_OLD = 0.1;

export const EVIDENCE_MUTANTS: readonly Mutant[] = [
  mutant('noVoteReports', 'nobody tells the others who said what', {
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
];

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
