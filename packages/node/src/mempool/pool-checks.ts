/**
 * What the waiting transactions say about one that wants to join them: whether it stands against one of
 * them, and whether there is room, or who would have to make room.
 */
import type { Origin } from '../ports/mempool.ts';
import type { Applicant } from './applicant.ts';
import { compareRates, type FeeRate } from './fee-rate.ts';
import type { MempoolLimits } from './limits.ts';
import { operationSubject } from './operation-subject.ts';
import type { PoolEntry } from './pool-entry.ts';
import type { PoolIndex } from './pool-index.ts';
import { type Refused, refuse } from './refusal.ts';

/** The first one stays: a waiting transaction is not replaced by another that spends the same. */
export function conflictWith(
  index: PoolIndex,
  { outpoints, transaction }: Applicant,
): Refused | null {
  for (let place = 0; place < outpoints.length; place++) {
    const spender = index.spenderOf(outpoints[place] as string);
    if (spender !== undefined)
      return refuse('conflict', `${spender.id} waits and spends it`, `inputs[${place}]`);
  }
  const subject = operationSubject(transaction.operation);
  const rival = subject === null ? undefined : index.withSubject(subject);
  if (rival === undefined) return null;
  return refuse('conflict', `${rival.id} waits and does the same`, 'operation');
}

/** Who leaves so that the applicant fits; undefined if those are worth as much as it is. */
export function roomFor(
  index: PoolIndex,
  limits: MempoolLimits,
  { transaction: { mass }, wire, origin }: Applicant,
  fee: bigint,
): readonly PoolEntry[] | undefined {
  let transactions = index.size + 1;
  let bytes = index.bytes + wire.length;
  let total = index.mass + mass;
  const isEnough = (): boolean =>
    transactions <= limits.transactions && bytes <= limits.bytes && total <= limits.mass;
  if (isEnough()) return NOBODY;
  const leaving: PoolEntry[] = [];
  for (const entry of index.order.leastFirst()) {
    if (!isWorthMore({ fee, mass, origin }, entry)) return undefined;
    leaving.push(entry);
    transactions--;
    bytes -= entry.wire.length;
    total -= entry.mass;
    if (isEnough()) return leaving;
  }
  return undefined;
}

const NOBODY: readonly PoolEntry[] = [];

function isWorthMore(one: FeeRate & { readonly origin: Origin }, other: PoolEntry): boolean {
  const order = compareRates(one, other);
  return order < 0 || (order === 0 && one.origin === 'own' && other.origin === 'relayed');
}
