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
 * A polka of an earlier round, later than the one known so far, is the value to propose. So the next proposer
 * proposes it again, even if the validators that locked it are never proposers.
 */
export function adoptEarlierPolka(state: FinalityState, { guards }: Rules): Transition | undefined {
  const latest = latestPolka(state, guards.quorum);
  if (latest === undefined) return undefined;
  const adopted = { round: latest.round, value: latest.value, certificate: latest };
  return {
    rows: [22],
    state: { ...state, round: { ...state.round, valid: adopted } },
    effects: [],
  };
}

/** The polka of the latest round before the one in progress, if it is later than the one known so far. */
function latestPolka(
  { keeper, verdicts, round: { round: current, valid } }: FinalityState,
  quorum: Threshold,
): PolkaCertificate | undefined {
  let latest: PolkaCertificate | undefined;
  let after: Round = valid?.round ?? NO_ROUND;
  for (const polka of keeper.polkas) {
    if (polka.round >= current || polka.round <= after) continue;
    if (verdicts.get(polka.value) !== 'valid') continue;
    latest = polka;
    after = polka.round;
  }
  for (const { round, prevotes } of keeper.records) {
    if (round >= current || round <= after || !quorum(keeper.set, prevotes.stake)) continue;
    for (const { value, stake, validRound } of prevotes.tallies) {
      if (value === NIL || !quorum(keeper.set, stake) || verdicts.get(value) !== 'valid') continue;
      latest = polkaCertificateOf(votesFor(prevotes, value, validRound), value);
      after = round;
      break;
    }
  }
  return latest;
}
