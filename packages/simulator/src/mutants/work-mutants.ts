/**
 * Broken bounds of the work that others can make a validator do.
 */
import { admit, type FinalityState, type SignedMessage } from 'svc-finality';
import type { Mutant } from './mutant.ts';
import { mutant } from './mutant.ts';

export const WORK_MUTANTS: readonly Mutant[] = [
  mutant('latePrecommitsUnbounded', 'late precommits of any round have their signatures checked', {
    admit: (state, message) => (isLate(state, message) ? 'verify' : admit(state, message)),
  }),
  mutant('questionsFree', 'what a validator asks for is not counted', {
    questionUnits: { perPeriod: Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER },
  }),
  mutant('latePrecommitsIgnored', 'who is slow and signs after the decision is not heard', {
    admit: (state, message) =>
      message.height < state.context.height ? 'ignore' : admit(state, message),
  }),
];

function isLate({ previous, context }: FinalityState, message: SignedMessage): boolean {
  const { kind, height, round, value } = message;
  if (previous === undefined || kind !== 'precommit' || height !== context.height - 1) return false;
  return value === previous.certificate.value && !previous.tables.has(round);
}
