/**
 * Payment of stake pools: in each cut at most 256 positions, member after member, the delegations by
 * id and then the validator's own bond, which also gets the commission. A position receives the pool's
 * part that its principal was of the committee's whole stake when the interval began.
 */
import { invariant, present } from '../assertion.ts';
import type { CutContext, Mutable } from '../context.ts';
import { type Identifier, numberKey } from '../identifiers.ts';
import { STAKE_PAYOUTS_PER_CUT_MAX } from '../parameters.ts';
import type { PoolMember, PoolRecord, PositionRecord } from '../records.ts';
import { payOut } from './outputs.ts';
import { bondedAtStart } from './positions.ts';
import { finishOldestPool } from './stake-pool.ts';

const BASIS_POINTS = 10_000n;

interface PoolPayment {
  readonly epoch: number;
  readonly totalStake: bigint;
  readonly pool: Mutable<PoolRecord>;
}

/** Pays the next positions of the open pools, the oldest pool first. */
export function payStake(context: CutContext): void {
  let visits = STAKE_PAYOUTS_PER_CUT_MAX;
  while (visits > 0) {
    const epoch = context.economy.openPools[0];
    if (epoch === undefined) return;
    const key = numberKey(epoch);
    const pool = { ...present(context.state.get('pools', key), `pool ${epoch}`) };
    const totalStake = pool.members.reduce((sum, { stake }) => sum + stake, 0n);
    visits -= payPool(context, { epoch, totalStake, pool }, visits);
    context.state.put('pools', key, pool);
    if (pool.memberIndex === pool.members.length) finishOldestPool(context);
  }
}

/** Pays members until the pool or the visits are used up; returns how many visits it took. */
function payPool(context: CutContext, payment: PoolPayment, visitsMax: number): number {
  const { pool } = payment;
  let visits = 0;
  while (visits < visitsMax) {
    const member = pool.members[pool.memberIndex];
    if (member === undefined) break;
    if (!member.earned) {
      pool.memberIndex++;
      continue;
    }
    const ids = nextDelegations(context, pool, member, visitsMax - visits);
    for (const id of ids) payDelegation(context, payment, member, id);
    visits += ids.length;
    if (visits === visitsMax) break;
    paySelfBond(context, payment, member);
    visits++;
    pool.memberIndex++;
    pool.afterPositionId = null;
    pool.commission = 0n;
  }
  return visits;
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
  payment.pool.commission += commission;
  payment.pool.afterPositionId = id;
  payPosition(context, payment, id, position, share - commission);
}

/** A validator that was removed since gets nothing; its delegators do. */
function paySelfBond(context: CutContext, payment: PoolPayment, member: PoolMember): void {
  const position = context.state.get('positions', member.selfBondId);
  const status = context.state.get('validators', member.validatorId)?.status;
  if (position === undefined || status === undefined || status === 'removed') return;
  const amount = shareOf(payment, position) + payment.pool.commission;
  payPosition(context, payment, member.selfBondId, position, amount);
}

function payPosition(
  context: CutContext,
  { epoch, pool }: PoolPayment,
  positionId: Identifier,
  position: PositionRecord,
  amount: bigint,
): void {
  const { validatorId, rewardAddress: address, kind: positionKind } = position;
  const outpoint = payOut(context, 'stake_reward', { address, amount });
  if (outpoint === null) return;
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
