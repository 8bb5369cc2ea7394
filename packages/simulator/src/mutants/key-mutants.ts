/**
 * Broken rules of how a consensus key is kept from a second use.
 */
import {
  decodeSignState,
  type SignPosition,
  type SignState,
  type SignStateStorage,
} from 'svc-consensus/machine';
import type { KEY_RULES } from 'svc-consensus/shell';
import type { Disk } from '../world/disk.ts';
import { PROTOCOL } from '../world/protocol.ts';
import type { Mutant } from './mutant.ts';
import { mutant } from './mutant.ts';

export const KEY_MUTANTS: readonly Mutant[] = [
  keyMutant('silenceFromStart', 'the silence of a new record counts from the head at the start', {
    silentCuts: 1,
    silenceBase: (headAtStart) => headAtStart,
  }),
  keyMutant('deafToOwnKey', 'a key does not hear that somebody else signs with it', {
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
];

/** Restarts within a silence are rare: a plan that has them is in the tests. */
export const SILENCE_FORGOTTEN: Mutant = mutant(
  'silenceForgotten',
  'the silence of a key that has signed is forgotten in a restart',
  { signStateOf: forgetfulSignState },
);

/** The disk keeps what was signed, and no silence of a key that has signed. */
function forgetfulSignState({ signState: file }: Disk): SignStateStorage {
  let isKept = true;
  return {
    read: () => file.read(),
    writeTemporary(bytes) {
      const before = file.read();
      const { last, stopped } = decodeSignState(bytes) as SignState;
      const known = before === undefined ? undefined : decodeSignState(before)?.last;
      isKept = stopped || last === undefined || !isSamePosition(last, known);
      if (isKept) file.writeTemporary(bytes);
    },
    syncTemporary: () => isKept && file.syncTemporary(),
    renameTemporary: () => isKept && file.renameTemporary(),
    syncDirectory: () => isKept && file.syncDirectory(),
  };
}

function isSamePosition(a: SignPosition, b: SignPosition | undefined): boolean {
  return a.height === b?.height && a.round === b.round && a.step === b.step;
}

function keyMutant(name: string, breaks: string, change: Partial<typeof KEY_RULES>): Mutant {
  return mutant(name, breaks, { keyRules: { ...PROTOCOL.keyRules, ...change } });
}
