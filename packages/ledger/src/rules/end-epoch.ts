/**
 * The end of an epoch, within its last cut: the pool is closed, absent members are jailed, announced
 * changes take effect, the next committee is formed and the next interval's emission counted.
 */
import type { CutContext } from '../context.ts';
import { epochEnd } from '../parameters.ts';
import type { Pending, ValidatorRecord } from '../records.ts';
import { epochRecordOf, nextCommittee } from './committee.ts';
import { nextEmission } from './emission.ts';
import { jailAbsent } from './jail.ts';
import { closePool } from './stake-pool.ts';

export function endEpoch(context: CutContext): void {
  const { epoch, height, parameters, state, economy } = context;
  if (height !== epochEnd(epoch, parameters.interval)) return;
  const next = epoch + 1;
  closePool(context);
  jailAbsent(context);
  takeEffect(context, next);
  const members = nextCommittee(state, next, context.epochRecord.members);
  context.epochRecord = epochRecordOf(context.hash, next, members);
  economy.emission = nextEmission(economy.emission);
}

/** Lets announced keys, endpoints and commissions take effect in the epoch that follows. */
function takeEffect(context: CutContext, epoch: number): void {
  for (const id of context.state.validatorIds()) {
    const validator = context.state.get('validators', id);
    if (validator === undefined) continue;
    const changed = withDueChanges(validator, epoch);
    if (changed !== validator) context.state.put('validators', id, changed);
  }
}

function withDueChanges(validator: ValidatorRecord, epoch: number): ValidatorRecord {
  const { pendingKey, pendingEndpoint, pendingCommission } = validator;
  const isDue = <T>(pending: Pending<T> | null): pending is Pending<T> =>
    pending !== null && pending.epoch <= epoch;
  let changed = validator;
  if (isDue(pendingKey)) changed = { ...changed, consensusKey: pendingKey.value, pendingKey: null };
  if (isDue(pendingEndpoint)) {
    changed = { ...changed, endpoint: pendingEndpoint.value, pendingEndpoint: null };
  }
  if (isDue(pendingCommission)) {
    changed = { ...changed, commissionBps: pendingCommission.value, pendingCommission: null };
  }
  return changed;
}
