/**
 * Broken rules of who sits where, for level ledger: elsewhere every validator keeps its seat.
 */
import { epochOf } from '../world/epochs.ts';
import { PROTOCOL } from '../world/protocol.ts';
import type { Mutant } from './mutant.ts';
import { mutant } from './mutant.ts';

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
  mutant('silenceWithoutSeat', 'the silence of a new record passes while nobody can sign', {
    keyRules: { ...PROTOCOL.keyRules, canHearTwin: () => true },
  }),
];
