/**
 * The pool after a restart. Every acknowledged transaction is checked against the state again and comes back
 * unless the state refuses it now. Signatures were checked before anything was written, but the disk may have
 * been damaged since: they are checked again later, while the node is running already. Until then a restored
 * transaction waits like any other and does not count as checked, so its execution would check it itself.
 */
import type { Log } from 'svc-base/pure';
import type { SignatureChecks } from '../workers/signature-checks.ts';
import type { Admissions } from './admission.ts';
import type { CheckedInputs } from './checks.ts';
import { type PoolContents, roomFor } from './pool-contents.ts';
import type { PoolRecord } from './pool-store.ts';
import type { PooledTransaction, SubmittedTransaction } from './pooled-transaction.ts';

export interface RestorationPorts {
  readonly contents: PoolContents;
  readonly admissions: Admissions;
  readonly workers: Pick<SignatureChecks, 'room'>;
  readonly log: Log;
}

interface Restored {
  readonly submitted: SubmittedTransaction;
  readonly checked: CheckedInputs;
  readonly pooled: PooledTransaction;
}

/** So many records are restored before other work of the process gets its turn. */
const RECORDS_PER_TURN = 256;
const SIGNATURES_CHECKED_AT_ONCE = 32;

export async function restore(ports: RestorationPorts): Promise<readonly Restored[]> {
  const { contents, log } = ports;
  const { records, damaged } = await contents.store.load();
  const restored: Restored[] = [];
  const dropped: PoolRecord[] = [];
  for (const [place, record] of records.entries()) {
    if (place % RECORDS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    const one = restoreOne(ports, record);
    if (one === undefined) dropped.push(record);
    else restored.push(one);
  }
  contents.store.remove(dropped);
  contents.store.removeDamaged(damaged);
  if (records.length + damaged.length === 0) return restored;
  const counts = { restored: restored.length, dropped: dropped.length, damaged: damaged.length };
  log.info(counts, 'the mempool was restored');
  return restored;
}

function restoreOne(
  { contents, admissions }: RestorationPorts,
  { id, wire, origin, receivedAtMillis }: PoolRecord,
): Restored | undefined {
  const submitted = admissions.decode(wire, origin);
  if ('type' in submitted || submitted.id !== id || contents.index.get(id) !== undefined)
    return undefined;
  const checked = admissions.check(submitted);
  if (checked.type !== 'checked') return undefined;
  const evicted = roomFor(contents.index, contents.limits, submitted, checked.fee);
  if (evicted?.length !== 0) return undefined;
  return { submitted, checked, pooled: contents.restore(submitted, checked, receivedAtMillis) };
}

/** Checks signatures a few at a time, so that submissions are not delayed; ends early when told to. */
export async function recheck(
  ports: RestorationPorts,
  restored: readonly Restored[],
  isStopped: () => boolean,
): Promise<void> {
  for (let at = 0; at < restored.length; at += SIGNATURES_CHECKED_AT_ONCE) {
    await ports.workers.room('submission');
    if (isStopped()) return;
    const some = restored.slice(at, at + SIGNATURES_CHECKED_AT_ONCE);
    await Promise.all(some.map((one) => recheckOne(ports, one, isStopped)));
  }
}

async function recheckOne(
  { contents, admissions, log }: RestorationPorts,
  { submitted, checked, pooled }: Restored,
  isStopped: () => boolean,
): Promise<void> {
  if (pooled.isGone) return;
  const refused = await admissions.checkSignatures(submitted, checked);
  if (refused === null || isStopped() || pooled.isGone) return;
  if (refused.code === 'overloaded' || refused.code === 'unavailable') return;
  log.error({ transaction: pooled.id, code: refused.code }, 'a stored transaction was damaged');
  contents.remove(new Map([[pooled, 'rejected']]));
}
