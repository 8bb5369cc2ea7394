/**
 * Row 22: polkas of earlier rounds, which reach a validator late or in a certificate.
 */
import { polkaCertificateOf } from '../base/certificate.ts';
import type { PolkaCertificate } from '../base/messages.ts';
import type { Round } from '../base/types.ts';
import { NIL, NO_ROUND } from '../base/types.ts';
import type { Threshold } from '../keeper/keeper-queries.ts';
import { votesFor } from '../keeper/vote-table.ts';
import type { FinalityState } from './state.ts';
import type { Rules, Transition } from './transition.ts';

/**
 * A polka of an earlier round, later than the one known so far, is the value to propose. So whoever
 * proposes next proposes it again, also if those who have locked it are never asked to propose.
 */
export function adoptEarlierPolka(state: FinalityState, { guards }: Rules): Transition | undefined {
  const { round, valid } = state.round;
  const isLater = (at: Round) => at < round && at > (valid?.round ?? NO_ROUND);
  let latest: PolkaCertificate | undefined;
  for (const polka of knownPolkas(state, isLater, guards.quorum))
    if (latest === undefined || polka.round > latest.round) latest = polka;
  if (latest === undefined) return undefined;
  const adopted = { round: latest.round, value: latest.value, certificate: latest };
  return {
    rows: [22],
    state: { ...state, round: { ...state.round, valid: adopted } },
    effects: [],
  };
}

function* knownPolkas(
  { keeper, verdicts }: FinalityState,
  isWanted: (round: Round) => boolean,
  quorum: Threshold,
): Generator<PolkaCertificate> {
  for (const polka of keeper.polkas)
    if (isWanted(polka.round) && verdicts.get(polka.value) === 'valid') yield polka;
  for (const { round, prevotes } of keeper.records) {
    if (!isWanted(round) || !quorum(keeper.set, prevotes.stake)) continue;
    for (const { value, stake, validRound } of prevotes.tallies)
      if (value !== NIL && quorum(keeper.set, stake) && verdicts.get(value) === 'valid')
        yield polkaCertificateOf(votesFor(prevotes, value, validRound), value);
  }
}
