/**
 * What the waiting transactions say about one that wants to join them: whether it stands against one of
 * them, and whether there is room, or who would have to make room.
 */
import { type ExecutableTransaction, outpointKey } from 'svc-ledger';
import type { Origin } from '../ports/mempool.ts';
import { compareRates } from './fee-rate.ts';
import type { MempoolLimits } from './limits.ts';
import { operationSubject } from './operation-subject.ts';
import type { PoolEntry } from './pool-entry.ts';
import type { PoolIndex } from './pool-index.ts';
import { type Refused, refuse } from './refusal.ts';

export interface Newcomer {
  readonly fee: bigint;
  readonly mass: bigint;
  readonly bytes: number;
  readonly origin: Origin;
}

/** The first one stays: a waiting transaction is not replaced by another that spends the same. */
export function conflictWith(
  index: PoolIndex,
  { inputs, operation }: ExecutableTransaction,
): Refused | null {
  for (const [place, input] of inputs.entries()) {
    const spender = index.spenderOf(outpointKey(input));
    if (spender !== undefined)
      return refuse('conflict', `${spender.id} waits and spends it`, `inputs[${place}]`);
  }
  const subject = operationSubject(operation);
  const rival = subject === null ? undefined : index.withSubject(subject);
  if (rival === undefined) return null;
  return refuse('conflict', `${rival.id} waits and does the same`, 'operation');
}

/** Who leaves so that the newcomer fits; undefined if those are worth as much as it is. */
export function roomFor(
  index: PoolIndex,
  limits: MempoolLimits,
  newcomer: Newcomer,
): PoolEntry[] | undefined {
  let transactions = index.size + 1 - limits.transactions;
  let bytes = index.bytes + newcomer.bytes - limits.bytes;
  let mass = index.mass + newcomer.mass - limits.mass;
  const leaving: PoolEntry[] = [];
  if (transactions <= 0 && bytes <= 0 && mass <= 0n) return leaving;
  for (const entry of index.order.leastFirst()) {
    if (!isWorthMore(newcomer, entry)) return undefined;
    leaving.push(entry);
    transactions--;
    bytes -= entry.wire.length;
    mass -= entry.mass;
    if (transactions <= 0 && bytes <= 0 && mass <= 0n) return leaving;
  }
  return undefined;
}

function isWorthMore(newcomer: Newcomer, entry: PoolEntry): boolean {
  const order = compareRates(newcomer, entry);
  return order < 0 || (order === 0 && newcomer.origin === 'own' && entry.origin === 'relayed');
}
