/**
 * Broken rules around the machine: disk, certificates, evidence, attendance, epochs.
 */
import type { SignStateStorage } from 'svc-consensus/machine';
import {
  acceptEvidence,
  checkCertificate,
  creditSigners,
  membersOf,
  recover,
  stakeOfBitmap,
  votedBy,
} from 'svc-consensus/machine';
import { DiskFullError } from '../base/failure.ts';
import type { Disk } from '../world/disk.ts';
import { epochOf } from '../world/epochs.ts';
import type { Mutant } from './mutant.ts';
import { mutant } from './mutant.ts';

export const SHELL_MUTANTS: readonly Mutant[] = [
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
];

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
