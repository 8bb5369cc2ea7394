/**
 * Rules of the ledgers of all nodes.
 */
import { isBitSet } from 'svc-consensus/machine';
import {
  ATTENDANCE_WINDOWS_MIN,
  attendanceWindowOf,
  type CommitteeMember,
  type Identifier,
  livenessOf,
  numberKey,
  type PositionRecord,
  REGISTRATION_WINDOW_CUTS,
} from 'svc-ledger';
import type { LedgerLevel } from '../ledger/ledger-level.ts';
import type { Execution, Replica } from '../ledger/replica.ts';
import type { Node } from '../node/node.ts';
import type { Cut } from '../world/cut.ts';
import type { Checker, WatchedWorld } from './checker.ts';

/** All honest nodes have the same state and the same outcomes after the same height. */
export function stateRoots(level: LedgerLevel): Checker {
  const known = new Map<number, string>();
  return {
    onDecision(world, node, { height }) {
      const result = level.replicaOf(node).executions[height - 1]?.result;
      const { stateRoot, outcomeRoot } = result ?? {};
      const outcomes = result?.events.outcomes.map(
        ({ transactionId, blockId, kind, reason, fee }) =>
          `${transactionId} ${blockId} ${kind} ${reason} ${fee}`,
      );
      const found = [stateRoot, outcomeRoot, ...(outcomes ?? [])].join('\n');
      const before = known.get(height);
      if (before === undefined) world.digest.mixText(found);
      else if (before !== found)
        world.fail('stateRoots', `validator ${node.index}, height ${height}: another state`);
      known.set(height, found);
    },
  };
}

/** Every registered block is executed exactly once, in the cut after the one that registered it. */
export function execution(level: LedgerLevel): Checker {
  return {
    atEnd(world) {
      for (const node of world.honest) checkNode(world, level, node);
    },
  };
}

function checkNode(world: WatchedWorld, level: LedgerLevel, node: Node): void {
  const { executions } = level.replicaOf(node);
  const executedAt = new Map<string, number>();
  for (const { input } of executions)
    for (const { id } of input.executed) {
      if (executedAt.has(id)) world.fail('execution', `validator ${node.index}: ${id} twice`);
      executedAt.set(id, input.height);
    }
  for (const { input } of executions.slice(0, -1))
    for (const { id } of input.registered) {
      const at = executedAt.get(id);
      if (at !== input.height + 1)
        world.fail('execution', `validator ${node.index}: ${id} executed at ${at}`);
      executedAt.delete(id);
    }
  if (executedAt.size > 0)
    world.fail('execution', `validator ${node.index} executed what was not registered`);
}

/**
 * When an anchor closes, its blocks get its half of the subsidy in equal shares, and each the work
 * half of the fees it carried. Counted here from what was minted and from the outcomes.
 */
export function rewards(level: LedgerLevel): Checker {
  let minted = level.mintedAtGenesis;
  let carry = 0n;
  let next = 1;
  const halves = [0n];
  const fees = new Map<string, bigint>();
  const anchors = new Map<string, number>();

  function note({ input, result }: Execution, mintedNow: bigint): void {
    for (const { id, anchorHeight } of input.registered) anchors.set(id, anchorHeight);
    for (const { blockId, fee } of result.events.outcomes)
      fees.set(blockId, (fees.get(blockId) ?? 0n) + fee / 2n);
    halves[input.height] = (mintedNow - minted) / 2n;
    minted = mintedNow;
  }

  function faultOf({ input, result }: Execution): string | undefined {
    const closed = input.height - REGISTRATION_WINDOW_CUTS;
    const paid = result.events.rewards;
    if (closed < 0) return paid.length === 0 ? undefined : 'paid before any anchor closed';
    const expected = [...anchors].filter(([, anchor]) => anchor === closed).map(([id]) => id);
    const ids = paid.map(({ blockId }) => blockId);
    if (ids.join() !== expected.sort().join()) return `anchor ${closed} pays other blocks`;
    carry += halves[closed] ?? 0n;
    const shares = paid.reduce((sum, { share }) => sum + share, 0n);
    carry -= shares;
    if (paid.length > 0 && (carry < 0n || carry >= BigInt(paid.length)))
      return `anchor ${closed} leaves ${carry} atoms to the next`;
    const wrong = paid.find(({ blockId, share, fees: own, amount }) => {
      return own !== (fees.get(blockId) ?? 0n) || amount !== share + own;
    });
    return wrong === undefined ? undefined : `block ${wrong.blockId} gets ${wrong.amount}`;
  }

  return {
    onDecision(world, node, { height }) {
      const replica = level.replicaOf(node);
      const execution = replica.executions[height - 1];
      if (height !== next || execution === undefined) return;
      next += 1;
      note(execution, replica.economy.minted);
      const fault = faultOf(execution);
      if (fault !== undefined) world.fail('rewards', `height ${height}: ${fault}`);
    },
  };
}

/**
 * Evidence in a cut removes the validator it names, once, and burns the whole of its own bond; none
 * is removed without it, and none that is honest.
 */
export function punishment(level: LedgerLevel): Checker {
  const removedAt = new Map<Identifier, number>();
  return {
    onDecision(world, node, { height, evidence }) {
      const { state, executions } = level.replicaOf(node);
      const { burns } = executions[height - 1]?.result.events ?? { burns: [] };
      const burned = burns.flatMap((burn) => (burn.cause === 'equivocation' ? [burn] : []));
      const accused = evidence.map(({ first }) => {
        const offender = world.chain.validatorAt(first.height, first.validatorIndex);
        return offender === undefined ? undefined : level.setting.roll.idOf(offender);
      });
      const names = burned.map(({ validatorId }) => validatorId);
      if (names.join() !== accused.join())
        world.fail(
          'punishment',
          `height ${height} accuses ${accused.join()} and punishes ${names.join()}`,
        );
      for (const { validatorId, amount } of burned) {
        const before = removedAt.get(validatorId) ?? height;
        removedAt.set(validatorId, before);
        const index = level.setting.roll.validatorOf(validatorId) ?? -1;
        const record = state.get('validators', validatorId);
        const keepsBond = state
          .records('positions')
          .some(([, { kind, validatorId: of }]) => kind === 'self_bond' && of === validatorId);
        if (before !== height) world.fail('punishment', `validator ${index} is punished twice`);
        if (!world.plan.byzantine.has(index))
          world.fail('punishment', `validator ${index} is honest and punished`);
        if (record?.status !== 'removed' || keepsBond)
          world.fail('punishment', `validator ${index} keeps its bond`);
        if (record?.removedHeight !== before || record.removalBurned !== amount)
          world.fail('punishment', `the state has another removal of validator ${index}`);
        if (amount < level.bondOf(index))
          world.fail('punishment', `validator ${index} loses ${amount} of ${level.bondOf(index)}`);
      }
    },
  };
}

interface Sighting {
  readonly node: Node;
  readonly life: number;
  /** Cuts of this height and above were built later. */
  readonly fromHeight: number;
  readonly offender: number;
}

/**
 * Who is caught is punished: once an honest node that saw two messages contradict each other has a cut
 * of its own decided, built after that and without a restart in between, their author is gone.
 */
export function conviction(level: LedgerLevel): Checker {
  const sightings = new Map<string, Sighting>();
  return {
    onConflict(world, node, { first }) {
      const { life } = node;
      const offender = world.chain.validatorAt(first.height, first.validatorIndex);
      if (offender === undefined) return;
      const fromHeight = node.chainState.height + 2;
      const name = `${node.index}/${life}/${offender}`;
      if (!sightings.has(name)) sightings.set(name, { node, life, fromHeight, offender });
    },
    atEnd(world) {
      for (const { node, life, fromHeight, offender } of sightings.values()) {
        const later = node.disk.chain.slice(fromHeight - 1);
        const hasProposed = later.some(
          ({ cut }) => world.chain.validatorAt(cut.height, cut.proposer) === node.index,
        );
        if (node.life !== life || !hasProposed || level.replicaOf(node).isRemoved(offender))
          continue;
        world.fail('conviction', `validator ${node.index} saw ${offender} sign twice in vain`);
      }
    },
  };
}

/** Every atom that was minted is somewhere or burned: counted from the records of a state, not from its totals. */
export function supply(level: LedgerLevel): Checker {
  return {
    atEnd(world) {
      for (const node of world.honest) {
        const fault = faultOf(level.replicaOf(node));
        if (fault !== undefined) world.fail('supply', `validator ${node.index}: ${fault}`);
      }
    },
  };
}

function faultOf({ state, economy }: Replica): string | undefined {
  let outputs = 0n;
  for (const [, { amount }] of state.records('outputs')) outputs += amount;
  let principal = 0n;
  for (const [, { bonded, unbonding }] of state.records('positions'))
    principal += unbonding.reduce((sum, { amount }) => sum + amount, bonded);
  // What a removal has burned of delegations is still written in them.
  const held = principal - economy.slashed;
  const found = outputs + held + economy.workReserve + economy.stakeReserve;
  const expected = economy.minted - economy.burned;
  if (outputs !== economy.outputs) return `outputs hold ${outputs}, the totals ${economy.outputs}`;
  return found === expected ? undefined : `${found} atoms where ${expected} should be`;
}

const BASIS_POINTS = 10_000n;

/** An epoch as it began, and who attended it. */
interface Running {
  readonly epoch: number;
  readonly members: readonly CommitteeMember[];
  readonly positions: readonly (readonly [Identifier, PositionRecord])[];
  readonly windows: readonly Set<number>[];
}

type Amounts = Map<Identifier, bigint>;

/**
 * Every position of a member that attended its epoch is paid its part of the pool in the next one, and no other is: counted
 * from what was bonded when the epoch began and from the signers that the headers name.
 */
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

/** Epochs without a heartbeat before a validator lapses. */
const EPOCHS_BEFORE = 2;

/** No validator lapses whose process ran: a heartbeat is sent in every epoch and holds for two more. */
export function lapses(level: LedgerLevel): Checker {
  /** At which height a validator was seen down last. */
  const downAt = new Map<number, number>();
  let next = 1;

  function noteDown({ nodes }: WatchedWorld, height: number): void {
    const up = new Set(nodes.filter((node) => node.up).map(({ index }) => index));
    for (const { index } of nodes) if (!up.has(index)) downAt.set(index, height);
  }

  function lapsed({ state, height }: Replica, epoch: number): number | undefined {
    const since = height - EPOCHS_BEFORE * level.setting.parameters.interval;
    for (const [validator, id] of level.setting.roll.entries()) {
      const record = state.get('validators', id);
      const wasDown = (downAt.get(validator) ?? 0) > since;
      if (record !== undefined && !wasDown && livenessOf(record, epoch) === 'lapsed')
        return validator;
    }
    return undefined;
  }

  return {
    onDecision(world, node, { height }) {
      if (height !== next) return;
      next += 1;
      noteDown(world, height);
      if (height % level.setting.parameters.interval !== 0) return;
      const replica = level.replicaOf(node);
      const validator = lapsed(replica, replica.epochRecord.epoch);
      if (validator !== undefined)
        world.fail('lapses', `validator ${validator} ran and lapses at height ${height}`);
    },
  };
}

/** What must hold of the ledgers, made fresh for one world. */
export function createLedgerCheckers(level: LedgerLevel): Checker[] {
  return [
    stateRoots(level),
    execution(level),
    rewards(level),
    punishment(level),
    conviction(level),
    supply(level),
    stakePayments(level),
    lapses(level),
  ];
}
