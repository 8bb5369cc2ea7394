/**
 * The stake pool of an interval. When the interval ends its pool is closed and paid over the cuts of the following
 * interval, which always suffice (`stakePayoutCuts`), so that one pool at most is open. What members did not
 * earn, and what divisions leave, goes into the running interval's pool.
 */
import { invariant } from '../assertion.ts';
import type { CutContext } from '../context.ts';
import { numberKey } from '../identifiers.ts';
import type { CommitteeMember, PoolMember, PoolRecord } from '../records.ts';
import { isPresentEnough } from './attendance.ts';

/** Adds the stake half of a subsidy to the running interval. */
export function collectStakeHalf(context: CutContext, amount: bigint): void {
  context.economy.stakeReserve += amount;
  context.economy.stakePool += amount;
}

/** Closes the pool of the epoch that ends with this cut. */
export function closePool(context: CutContext): void {
  const { economy, epoch } = context;
  invariant(economy.openPool === null, `the pool of epoch ${economy.openPool} is not paid`);
  const members = context.epochRecord.members.map((member, index) =>
    poolMember(context, member, index),
  );
  if (economy.stakePool === 0n || !members.some(({ earned }) => earned)) return;
  context.state.put('pools', numberKey(epoch), {
    amount: economy.stakePool,
    members,
    paid: 0n,
    memberIndex: 0,
    afterPositionId: null,
    commission: 0n,
  });
  economy.openPool = epoch;
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

/** Ends the open pool after its last payment; unearned coins go to the running interval. */
export function finishPool(
  { state, economy }: CutContext,
  epoch: number,
  pool: Pick<PoolRecord, 'amount' | 'paid'>,
): void {
  state.delete('pools', numberKey(epoch));
  economy.openPool = null;
  economy.stakePool += pool.amount - pool.paid;
}
