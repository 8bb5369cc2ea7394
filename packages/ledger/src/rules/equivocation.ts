/**
 * Equivocation. A validator proven to have signed twice is gone: its own bond and a tenth of every
 * delegation to it are burned, as far as they cannot be withdrawn yet. It happens once to a validator.
 */
import { invariant, present } from '../assertion.ts';
import type { CutContext } from '../context.ts';
import type { Equivocation } from '../cut.ts';
import type { Identifier } from '../identifiers.ts';
import {
  EVIDENCE_PER_CUT_MAX,
  type LedgerParameters,
  SLASHED_DELEGATION_DIVISOR,
  UNBONDING_EPOCHS,
} from '../parameters.ts';
import type { PositionRecord, ValidatorRecord } from '../records.ts';
import type { StateView } from '../view.ts';
import { burn } from './burn.ts';
import { endValidator } from './exit-validator.ts';
import { principalOf, putPosition, releaseHeight, withBonded } from './positions.ts';

export type EvidenceFault = 'too_many' | 'repeated' | 'unknown_validator' | 'too_old' | 'too_early';

const POSITIONS_PER_READ = 1_024;

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

function removeValidator(context: CutContext, validatorId: Identifier): void {
  const validator = present(context.state.get('validators', validatorId), 'validator');
  let removed: ValidatorRecord =
    validator.status === 'active'
      ? endValidator(context, validatorId, validator, 'removed')
      : { ...validator, status: 'removed' };
  context.state.put('validators', validatorId, removed);
  let burned = 0n;
  for (const id of allPositions(context, validatorId)) {
    const position = present(context.state.get('positions', id), `position ${id}`);
    const slashed = slash(context, position, removed);
    burned += principalOf(position) - principalOf(slashed);
    removed = putPosition(context, id, slashed, removed);
  }
  context.economy.unbonding -= burned;
  burn(context, { cause: 'equivocation', validatorId, amount: burned });
  context.events.validators.push({ type: 'removed', validatorId });
}

function allPositions(context: CutContext, validatorId: Identifier): Identifier[] {
  const ids: Identifier[] = [];
  let after: Identifier | null = null;
  for (;;) {
    const page = context.state.positionIdsOf(validatorId, after, POSITIONS_PER_READ);
    ids.push(...page);
    if (page.length < POSITIONS_PER_READ) return ids;
    after = page.at(-1) ?? after;
  }
}

/** The position without what is burned of it; each part is rounded by itself, in the owner's favour. */
function slash(
  context: CutContext,
  position: PositionRecord,
  validator: ValidatorRecord,
): PositionRecord {
  const { height, parameters } = context;
  const left = (amount: bigint, release: number): bigint => {
    if (release <= height) return amount;
    return position.kind === 'self_bond' ? 0n : amount - amount / SLASHED_DELEGATION_DIVISOR;
  };
  const bonded = left(position.bonded, releaseHeight(parameters, validator.endHeight));
  const unbonding = position.unbonding
    .map((chunk) => ({ ...chunk, amount: left(chunk.amount, chunk.releaseHeight) }))
    .filter(({ amount }) => amount > 0n);
  return { ...withBonded(context, position, bonded), unbonding };
}
