/**
 * The stake pool of an interval. When the interval ends its pool is closed and paid over the following
 * cuts. What members did not earn, and what divisions leave, goes into the running interval's pool.
 */
import { present } from '../assertion.ts';
import type { CutContext } from '../context.ts';
import { numberKey } from '../identifiers.ts';
import { STAKE_POOLS_OPEN_MAX } from '../parameters.ts';
import type { CommitteeMember, PoolMember } from '../records.ts';
import { isPresentEnough } from './attendance.ts';

/** Adds the stake half of a subsidy to the running interval. */
export function collectStakeHalf(context: CutContext, amount: bigint): void {
  context.economy.stakeReserve += amount;
  context.economy.stakePool += amount;
}

/** Closes the pool of the epoch that ends with this cut. */
export function closePool(context: CutContext): void {
  const { economy, epoch } = context;
  const members = context.epochRecord.members.map((member, index) =>
    poolMember(context, member, index),
  );
  if (economy.stakePool === 0n || !members.some(({ earned }) => earned)) return;
  while (economy.openPools.length >= STAKE_POOLS_OPEN_MAX) finishOldestPool(context);
  context.state.put('pools', numberKey(epoch), {
    amount: economy.stakePool,
    members,
    paid: 0n,
    memberIndex: 0,
    afterPositionId: null,
    commission: 0n,
  });
  economy.openPools = [...economy.openPools, epoch];
  economy.stakePool = 0n;
}

function poolMember(context: CutContext, member: CommitteeMember, index: number): PoolMember {
  const { validatorId, selfBondId, stake, commissionBps, sharesPool } = member;
  const attendance = context.epochRecord.attendance[index];
  const status = context.state.get('validators', validatorId)?.status;
  const attended = attendance !== undefined && isPresentEnough(attendance);
  const earned = sharesPool && attended && status !== undefined && status !== 'removed';
  return { validatorId, selfBondId, stake, commissionBps, earned };
}

/** Ends the oldest open pool; what it has not paid goes to the running interval. */
export function finishOldestPool(context: CutContext): void {
  const { economy } = context;
  const [epoch, ...rest] = economy.openPools;
  const key = numberKey(present(epoch, 'open pool'));
  const pool = present(context.state.get('pools', key), `pool ${epoch}`);
  context.state.delete('pools', key);
  economy.openPools = rest;
  economy.stakePool += pool.amount - pool.paid;
}
