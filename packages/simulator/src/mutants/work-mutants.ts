/**
 * Broken bounds of the work that others can make a validator do.
 */
import { admit, type FinalityState, limits, type SignedMessage } from 'svc-consensus/machine';
import type { Mutant } from './mutant.ts';
import { mutant } from './mutant.ts';

export const WORK_MUTANTS: readonly Mutant[] = [
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
];

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
