/**
 * The pool after a restart. Everything that was acknowledged is held against the state again and comes back
 * unless that refuses it now. Signatures were checked before anything was written, but the disk may have been
 * damaged since: they are checked again behind, while the node is running already. Until then a transaction
 * waits like any other and does not count as checked, so its execution would check it itself.
 */
import type { Log } from '../base/log.ts';
import type { SignatureWorkers } from '../workers/signature-workers.ts';
import type { Admissions } from './admission.ts';
import type { Applicant } from './applicant.ts';
import { roomFor } from './pool-checks.ts';
import type { PoolCore } from './pool-core.ts';
import type { PoolEntry } from './pool-entry.ts';
import type { StoredTransaction } from './pool-store.ts';
import type { Findings } from './state-checks.ts';

export interface RestorationPorts {
  readonly core: PoolCore;
  readonly admissions: Admissions;
  readonly workers: Pick<SignatureWorkers, 'room'>;
  readonly log: Log;
}

interface Restored {
  readonly applicant: Applicant;
  readonly found: Findings;
  readonly entry: PoolEntry;
}

const PER_TURN = 256;
const CHECKED_AT_ONCE = 32;

export async function restore(ports: RestorationPorts): Promise<readonly Restored[]> {
  const { core, log } = ports;
  const { transactions, damaged } = await core.store.load();
  const restored: Restored[] = [];
  const dropped: StoredTransaction[] = [];
  for (const [place, stored] of transactions.entries()) {
    if (place % PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    const one = restoreOne(ports, stored);
    if (one === undefined) dropped.push(stored);
    else restored.push(one);
  }
  core.store.remove(dropped);
  core.store.removeDamaged(damaged);
  if (transactions.length + damaged.length === 0) return restored;
  const counts = { restored: restored.length, dropped: dropped.length, damaged: damaged.length };
  log.info(counts, 'the mempool was restored');
  return restored;
}

function restoreOne(
  { core, admissions }: RestorationPorts,
  { id, wire, origin, receivedAtMillis }: StoredTransaction,
): Restored | undefined {
  const applicant = admissions.decode(wire, origin);
  if ('type' in applicant || applicant.id !== id || core.index.get(id) !== undefined)
    return undefined;
  const found = admissions.check(applicant);
  if (found.type !== 'found') return undefined;
  const evicted = roomFor(core.index, core.limits, applicant, found.fee);
  if (evicted?.length !== 0) return undefined;
  return { applicant, found, entry: core.restore(applicant, found, receivedAtMillis) };
}

/** Checks signatures a few at a time, so that submissions are not held up; ends early when told to. */
export async function recheck(
  ports: RestorationPorts,
  restored: readonly Restored[],
  isStopped: () => boolean,
): Promise<void> {
  for (let at = 0; at < restored.length; at += CHECKED_AT_ONCE) {
    await ports.workers.room('submission');
    if (isStopped()) return;
    const some = restored.slice(at, at + CHECKED_AT_ONCE);
    await Promise.all(some.map((one) => recheckOne(ports, one, isStopped)));
  }
}

async function recheckOne(
  { core, admissions, log }: RestorationPorts,
  { applicant, found, entry }: Restored,
  isStopped: () => boolean,
): Promise<void> {
  if (entry.isGone) return;
  const refused = await admissions.checkSignatures(applicant, found);
  if (refused === null || isStopped() || entry.isGone) return;
  if (refused.code === 'overloaded' || refused.code === 'unavailable') return;
  log.error({ transaction: entry.id, code: refused.code }, 'a stored transaction was damaged');
  core.remove(new Map([[entry, 'rejected']]));
}
