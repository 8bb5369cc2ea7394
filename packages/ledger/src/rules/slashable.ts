/**
 * What a removal would burn of a validator's delegations, kept as sums on the validator: a tenth of everything bonded, and
 * a tenth of every part that unbonds until it can be withdrawn, each rounded down by itself. The sums are exact to the
 * atom, so that a removal need not look at a single delegation.
 */
import type { CutContext } from '../context.ts';
import { type Identifier, numberKey } from '../identifiers.ts';
import type { PositionRecord, UnbondingChunk, ValidatorRecord } from '../records.ts';
import { releaseHeight, slashOf } from './positions.ts';

type Slashable = Pick<ValidatorRecord, 'slashableBonded' | 'slashableUnbonding'>;

/** What a removal in this cut burns of the delegations. */
export function slashableOf(context: CutContext, validator: ValidatorRecord): bigint {
  const { slashableBonded, slashableUnbonding, endHeight } = validator;
  const isFree = releaseHeight(context.parameters, endHeight) <= context.height;
  return slashableUnbonding + (isFree ? 0n : slashableBonded);
}

/** The sums of a validator after a part of a position has begun to unbond. */
export function unbondSlashable(
  context: CutContext,
  position: PositionRecord,
  { slashableBonded, slashableUnbonding }: ValidatorRecord,
  chunk: UnbondingChunk,
): Slashable {
  if (position.kind === 'self_bond') return { slashableBonded, slashableUnbonding };
  const { bonded, validatorId } = position;
  const amount = slashOf(chunk.amount);
  if (amount > 0n) addRelease(context, chunk.releaseHeight, validatorId, amount);
  return {
    slashableBonded: slashableBonded - slashOf(bonded) + slashOf(bonded - chunk.amount),
    slashableUnbonding: slashableUnbonding + amount,
  };
}

function addRelease(
  { state }: CutContext,
  height: number,
  validatorId: Identifier,
  amount: bigint,
): void {
  const key = numberKey(height);
  const slashable = [...(state.get('releases', key)?.slashable ?? [])];
  const found = slashable.findIndex((entry) => entry.validatorId >= validatorId);
  const at = found < 0 ? slashable.length : found;
  const entry = slashable[at];
  if (entry?.validatorId === validatorId) {
    slashable[at] = { validatorId, amount: entry.amount + amount };
  } else slashable.splice(at, 0, { validatorId, amount });
  state.put('releases', key, { slashable });
}

/** Stops counting what can be withdrawn from this cut on. A removed validator has been slashed already. */
export function releaseSlashable({ state, height }: CutContext): void {
  const key = numberKey(height);
  const released = state.get('releases', key);
  if (released === undefined) return;
  state.delete('releases', key);
  for (const { validatorId, amount } of released.slashable) {
    const validator = state.get('validators', validatorId);
    if (validator === undefined || validator.status === 'removed') continue;
    const slashableUnbonding = validator.slashableUnbonding - amount;
    state.put('validators', validatorId, { ...validator, slashableUnbonding });
  }
}
