/**
 * Payment of the stake pool: member after member, the delegations by id and then the validator's own bond, which
 * also gets the commission. A position receives the pool's part that its principal was of the committee's
 * whole stake when the interval began. A cut makes a limited number of payments and looks at a limited number of
 * positions; a position that is due nothing takes no payment from another.
 */
import { invariant, present } from '../assertion.ts';
import type { CutContext, Mutable } from '../context.ts';
import { type Identifier, numberKey } from '../identifiers.ts';
import type { PoolMember, PoolRecord, PositionRecord } from '../records.ts';
import { payOut } from './outputs.ts';
import { bondedAtStart } from './positions.ts';
import { finishPool } from './stake-pool.ts';

const BASIS_POINTS = 10_000n;
/** Positions that are due nothing are read this many at a time, even if one payment is left. */
const POSITIONS_PER_READ_MIN = 64;

interface PoolPayment {
  readonly epoch: number;
  readonly totalStake: bigint;
  readonly pool: Mutable<PoolRecord>;
  /** The payments and visits that this cut has left. */
  payments: number;
  visits: number;
}

/** Pays the next positions of the open pool. */
export function payStake(context: CutContext): void {
  const epoch = context.economy.openPool;
  if (epoch === null) return;
  const key = numberKey(epoch);
  const pool = { ...present(context.state.get('pools', key), `pool ${epoch}`) };
  const { stakePayoutsPerCut: payments, stakeVisitsPerCut: visits } = context.parameters;
  const totalStake = pool.members.reduce((sum, { stake }) => sum + stake, 0n);
  payPool(context, { epoch, totalStake, pool, payments, visits });
  if (pool.memberIndex < pool.members.length) context.state.put('pools', key, pool);
  else finishPool(context, epoch, pool);
}

/** Pays members until the pool is paid or the cut may do no more. */
function payPool(context: CutContext, payment: PoolPayment): void {
  const { pool } = payment;
  for (;;) {
    const member = pool.members[pool.memberIndex];
    if (member === undefined) return;
    if (member.earned && !payMember(context, payment, member)) return;
    pool.memberIndex++;
    pool.afterPositionId = null;
    pool.commission = 0n;
  }
}

/** Whether all of the member's positions have been visited; if not, the next cut continues. */
function payMember(context: CutContext, payment: PoolPayment, member: PoolMember): boolean {
  while (payment.payments > 0 && payment.visits > 0) {
    const limit = Math.min(payment.visits, Math.max(payment.payments, POSITIONS_PER_READ_MIN));
    const ids = nextDelegations(context, payment.pool, member, limit);
    for (const id of ids) {
      if (payment.payments === 0) return false;
      payDelegation(context, payment, member, id);
    }
    if (ids.length === limit || payment.payments === 0) continue;
    paySelfBond(context, payment, member);
    return true;
  }
  return false;
}

function nextDelegations(
  context: CutContext,
  pool: PoolRecord,
  member: PoolMember,
  limit: number,
): Identifier[] {
  const ids = context.state.positionIdsOf(member.validatorId, pool.afterPositionId, limit + 1);
  return ids.filter((id) => id !== member.selfBondId).slice(0, limit);
}

function shareOf({ epoch, pool, totalStake }: PoolPayment, position: PositionRecord): bigint {
  return (pool.amount * bondedAtStart(position, epoch)) / totalStake;
}

function payDelegation(
  context: CutContext,
  payment: PoolPayment,
  member: PoolMember,
  id: Identifier,
): void {
  const position = present(context.state.get('positions', id), `position ${id}`);
  const share = shareOf(payment, position);
  const commission = (share * BigInt(member.commissionBps)) / BASIS_POINTS;
  payment.visits--;
  payment.pool.commission += commission;
  payment.pool.afterPositionId = id;
  payPosition(context, payment, id, position, share - commission);
}

/** A validator that was removed since gets nothing; its delegators do. */
function paySelfBond(context: CutContext, payment: PoolPayment, member: PoolMember): void {
  payment.visits--;
  const position = context.state.get('positions', member.selfBondId);
  const status = context.state.get('validators', member.validatorId)?.status;
  if (position === undefined || status === undefined || status === 'removed') return;
  const amount = shareOf(payment, position) + payment.pool.commission;
  payPosition(context, payment, member.selfBondId, position, amount);
}

function payPosition(
  context: CutContext,
  payment: PoolPayment,
  positionId: Identifier,
  position: PositionRecord,
  amount: bigint,
): void {
  const { epoch, pool } = payment;
  const { validatorId, rewardAddress: address, kind: positionKind } = position;
  const outpoint = payOut(context, 'stake_reward', { address, amount });
  if (outpoint === null) return;
  payment.payments--;
  pool.paid += amount;
  invariant(pool.paid <= pool.amount, `the pool of epoch ${epoch} pays more than it holds`);
  context.economy.stakeReserve -= amount;
  context.events.stakePayouts.push({
    positionId,
    positionKind,
    validatorId,
    epoch,
    address,
    amount,
    outpoint,
  });
}
