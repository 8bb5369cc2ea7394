/**
 * Every position of a member that attended its epoch is paid its part of the pool in the next one, and nobody else is: counted
 * from what was bonded when the epoch began and from the signers that the headers name.
 */
import { isBitSet } from 'svc-consensus/machine';
import type { CommitteeMember, Identifier, PositionRecord } from 'svc-ledger';
import { ATTENDANCE_WINDOWS_MIN, attendanceWindowOf, numberKey } from 'svc-ledger';
import type { Checker } from '../../checkers/checker.ts';
import type { Cut } from '../../world/cut.ts';
import type { LedgerLevel } from '../ledger-level.ts';
import type { Replica } from '../replica.ts';

const BASIS_POINTS = 10_000n;

/** An epoch as it began, and who attended it. */
interface Running {
  readonly epoch: number;
  readonly members: readonly CommitteeMember[];
  readonly positions: readonly (readonly [Identifier, PositionRecord])[];
  readonly windows: readonly Set<number>[];
}

type Amounts = Map<Identifier, bigint>;

export function stakePayments(level: LedgerLevel): Checker {
  const { interval } = level.setting.parameters;
  let running: Running | undefined = level.committees && begin(level.genesis);
  /** What is due of the epoch before, and what was paid of it. */
  let due: Amounts | undefined;
  let paid: Amounts = new Map();
  let next = 1;

  function note({ height, previousSigners }: Cut): void {
    if (running === undefined || height % interval === 1) return;
    for (const [seat, windows] of running.windows.entries())
      if (isBitSet(previousSigners, seat)) windows.add(attendanceWindowOf(height, interval));
  }

  function fault(replica: Replica): string | undefined {
    if (due === undefined) return undefined;
    for (const [id, amount] of due) {
      const validatorId = replica.state.get('positions', id)?.validatorId;
      const owner = validatorId && replica.state.get('validators', validatorId);
      // Who is removed before it is paid gets nothing any more; what its position was, is gone.
      const isRemoved = owner === undefined || owner === '' || owner.status === 'removed';
      const got = paid.get(id) ?? 0n;
      if (got !== amount && !(isRemoved && got === 0n))
        return `position ${id} got ${got} of ${amount}`;
    }
    for (const id of paid.keys()) if (!due.has(id)) return `position ${id} was paid and not due`;
    return undefined;
  }

  return {
    onDecision(world, node, cut) {
      if (running === undefined || cut.height !== next) return;
      next += 1;
      const replica = level.replicaOf(node);
      const payouts = replica.executions[cut.height - 1]?.result.events.stakePayouts ?? [];
      for (const { positionId, amount } of payouts)
        paid.set(positionId, (paid.get(positionId) ?? 0n) + amount);
      note(cut);
      if (cut.height % interval !== 0) return;
      const found = fault(replica);
      if (found !== undefined) world.fail('stakePayments', `height ${cut.height}: ${found}`);
      due = dueOf(running, replica);
      paid = new Map();
      running = begin(replica);
    },
  };
}

function begin({ state, epochRecord: { epoch, members } }: Replica): Running {
  const windows = members.map(() => new Set<number>());
  return { epoch, members, positions: state.records('positions'), windows };
}

/** What the positions of an epoch that has just ended are to get. */
function dueOf({ epoch, members, positions, windows }: Running, { state }: Replica): Amounts {
  const due: Amounts = new Map();
  const pool = state.get('pools', numberKey(epoch))?.amount ?? 0n;
  const total = members.reduce((sum, { stake }) => sum + stake, 0n);
  for (const [seat, member] of members.entries()) {
    const status = state.get('validators', member.validatorId)?.status;
    const attended = (windows[seat]?.size ?? 0) >= ATTENDANCE_WINDOWS_MIN;
    if (!attended || status === 'removed' || !member.sharesPool) continue;
    let commissions = 0n;
    for (const [id, { validatorId, bonded, kind }] of positions) {
      if (validatorId !== member.validatorId || kind === 'self_bond') continue;
      const share = (pool * bonded) / total;
      const commission = (share * BigInt(member.commissionBps)) / BASIS_POINTS;
      commissions += commission;
      if (share > commission) due.set(id, share - commission);
    }
    const own = positions.find(([id]) => id === member.selfBondId)?.[1].bonded ?? 0n;
    const amount = (pool * own) / total + commissions;
    if (amount > 0n) due.set(member.selfBondId, amount);
  }
  return due;
}
