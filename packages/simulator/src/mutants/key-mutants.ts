/**
 * Broken rules of how a consensus key is kept from a second use.
 */
import type { KEY_RULES } from 'svc-validator';
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
      isFarBehind: () => false,
      isOwn: () => false,
    },
  ),
  keyMutant('silenceNeverMadeUp', 'what a silence refused is not signed when it ends', {
    owedAfterSilence: () => [],
  }),
];

function keyMutant(name: string, breaks: string, change: Partial<typeof KEY_RULES>): Mutant {
  return mutant(name, breaks, { keyRules: { ...PROTOCOL.keyRules, ...change } });
}
