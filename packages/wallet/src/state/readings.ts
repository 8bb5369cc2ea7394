/**
 * How much of the past of the wallet's addresses is still to be read: all of it, before anything is paid or credited, or
 * once more, beside normal work. A state whose past was read has an `indexed_height`; addresses whose past is to be read
 * have `scanned` unset.
 */
import type { Meta } from './database.ts';
import type { State } from './open-state.ts';

type Readable = Pick<State, 'addresses' | 'meta' | 'outputs'>;

/** Whether nothing is known of the wallet before its past has been read. */
export function isRestoring(meta: Pick<Meta, 'get'>): boolean {
  return meta.get('indexed_height') === undefined;
}

/** Has the whole past read before anything else: what is known of it does not count any more. */
export function beginRestore({ addresses, meta, outputs }: Readable): void {
  meta.set('generation', String(meta.number('generation', 0) + 1));
  addresses.forgetScans();
  // From the first height on everything is told once more.
  outputs.forgetTold();
  for (const name of ['indexed_height', 'restore_height', 'rescanning'] as const) meta.remove(name);
}

/** Whether addresses have a past that is to be read beside normal work. */
export function isRescanning(meta: Pick<Meta, 'get'>): boolean {
  return meta.get('rescanning') !== undefined;
}

/** Has the past of every address read once more, beside normal work. */
export function beginRescan({ addresses, meta }: Readable): void {
  addresses.forgetScans();
  meta.set('rescanning', '1');
}

/** Has the past of addresses read that were added unscanned. */
export function readAdded({ meta }: Pick<Readable, 'meta'>): void {
  if (!isRestoring(meta)) meta.set('rescanning', '1');
}

export function endRescan({ meta }: Pick<Readable, 'meta'>): void {
  meta.remove('rescanning');
}
