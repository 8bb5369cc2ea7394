/**
 * Equivocation. A validator proven to have signed twice is removed: its own bond and a tenth of every
 * delegation to it are burned, as far as they cannot be withdrawn yet. It happens once to a validator, whose record then
 * stays in the state for good.
 */
import { invariant, present } from '../assertion.ts';
import type { CutContext } from '../context.ts';
import type { Equivocation } from '../cut.ts';
import type { Identifier } from '../identifiers.ts';
import { EVIDENCE_PER_CUT_MAX, type LedgerParameters, UNBONDING_EPOCHS } from '../parameters.ts';
import type { ValidatorRecord } from '../records.ts';
import type { StateView } from '../view.ts';
import { burn } from './burn.ts';
import { endValidator } from './exit-validator.ts';
import { principalOf, putPosition, releaseHeight, withBonded } from './positions.ts';
import { slashableOf } from './slashable.ts';

export type EvidenceFault = 'too_many' | 'repeated' | 'unknown_validator' | 'too_old' | 'too_early';

/** What is wrong with the evidence of a cut, or null. */
export function evidenceFault(
  view: StateView,
  parameters: LedgerParameters,
  height: number,
  evidence: readonly Equivocation[],
): EvidenceFault | null {
  if (evidence.length > EVIDENCE_PER_CUT_MAX) return 'too_many';
  const named = new Set<Identifier>();
  for (const { validatorId, height: offence } of evidence) {
    if (named.has(validatorId)) return 'repeated';
    named.add(validatorId);
    const validator = view.get('validators', validatorId);
    if (validator === undefined) return 'unknown_validator';
    if (validator.status === 'removed') return 'repeated';
    if (offence > height) return 'too_early';
    if (height - offence > UNBONDING_EPOCHS * parameters.interval) return 'too_old';
  }
  return null;
}

export function punishEquivocations(context: CutContext, evidence: readonly Equivocation[]): void {
  const { state, parameters, height } = context;
  invariant(
    evidenceFault(state, parameters, height, evidence) === null,
    'evidence that cannot be accepted',
  );
  for (const { validatorId } of evidence) removeValidator(context, validatorId);
}

/** Costs the same for one delegation and for a million: none of them is touched. */
function removeValidator(context: CutContext, validatorId: Identifier): void {
  const validator = present(context.state.get('validators', validatorId), 'validator');
  const ended =
    validator.status === 'active'
      ? endValidator(context, validatorId, validator, 'removed')
      : validator;
  const slashed = slashableOf(context, ended);
  const removed: ValidatorRecord = {
    ...ended,
    status: 'removed',
    removedHeight: context.height,
    slashableBonded: 0n,
    slashableUnbonding: 0n,
  };
  const { own, left } = burnSelfBond(context, removed);
  const burned = slashed + own;
  context.state.put('validators', validatorId, { ...left, removalBurned: burned });
  context.economy.unbonding -= burned;
  context.economy.slashed += slashed;
  burn(context, { cause: 'equivocation', validatorId, amount: burned });
  context.events.validators.push({ type: 'removed', validatorId });
}

/** Burns the part of the validator's own position that cannot be withdrawn yet; returns how much, and the validator. */
function burnSelfBond(
  context: CutContext,
  validator: ValidatorRecord,
): { readonly own: bigint; readonly left: ValidatorRecord } {
  const { height, parameters, state } = context;
  const position = state.get('positions', validator.selfBondId);
  if (position === undefined) return { own: 0n, left: validator };
  const isFree = releaseHeight(parameters, validator.endHeight) <= height;
  const unbonding = position.unbonding.filter((chunk) => chunk.releaseHeight <= height);
  const rest = isFree ? position : withBonded(context, position, 0n);
  const kept = { ...rest, unbonding };
  const left = putPosition(context, validator.selfBondId, kept, validator);
  return { own: principalOf(position) - principalOf(kept), left };
}
