/**
 * Rows 20 and 21: a cut is final. Single precommits are put together into the same certificate that
 * a peer would send, so there is one way to decide.
 */
import { assertInvariant } from '../base/assertion.ts';
import { isQuorum, stakeOfBitmap } from '../base/validator-set.ts';
import { commitCertificate } from '../keeper/keeper-queries.ts';
import type { FinalityState } from './state.ts';
import type { Rules, Transition } from './transition.ts';
import { withRound } from './transition.ts';

export function decideOnQuorum(state: FinalityState, { guards }: Rules): Transition | undefined {
  const certificate = state.certified ?? commitCertificate(state.keeper, guards.quorum);
  if (certificate === undefined) return undefined;
  const { height, value } = certificate;
  const row = state.certified === undefined ? 20 : 21;
  const verdict = state.verdicts.get(value);
  if (verdict === undefined) {
    if (state.fetching) return undefined;
    const effects = [{ type: 'fetchCut', height, value } as const];
    return { rows: [row], state: { ...state, fetching: true, certified: certificate }, effects };
  }
  assertInvariant(
    guards.judgedValid(verdict),
    `cut ${value} at height ${height} has a quorum but is invalid here`,
    'certified_invalid_cut',
    certificate,
  );
  const stake = stakeOfBitmap(state.context.set, certificate.signers);
  assertInvariant(
    isQuorum(state.context.set, stake),
    'a decision has more than two thirds',
    'certificate_without_quorum',
    certificate,
  );
  const decided = withRound({ ...state, decided: certificate }, { step: 'decided' });
  return {
    rows: [row],
    state: decided,
    effects: [
      { type: 'append', input: { type: 'commitCertificate', certificate } },
      { type: 'sync' },
      { type: 'decide', certificate },
    ],
  };
}
