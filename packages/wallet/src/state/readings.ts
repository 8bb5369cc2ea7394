/**
 * How much of the past of the wallet's addresses is still to be read: all of it, before anything is paid or credited, or
 * once more, beside normal work. A state whose past was read has an `indexed_height`. What is read once more goes through
 * the addresses in the order of their ids, and `rescanning` says up to which; an address whose past was never read has
 * `scanned` unset.
 */
import type { Meta } from './database.ts';
import type { State } from './open-state.ts';

type Readable = Pick<State, 'addresses' | 'cuts' | 'meta' | 'outputs'>;

/** Whether nothing is known of the wallet before its past has been read. */
export function isRestoring(meta: Pick<Meta, 'get'>): boolean {
  return meta.get('indexed_height') === undefined;
}

/** Has the whole past read before anything else: what is known of it does not count any more. */
export function beginRestore(state: Readable): void {
  const { addresses, meta } = state;
  meta.set('generation', String(meta.number('generation', 0) + 1));
  addresses.forgetScans();
  meta.set('told_up_to', String(Math.max(toldUpTo(state), meta.number('indexed_height', 0))));
  for (const name of ['indexed_height', 'restore_height'] as const) meta.remove(name);
  endRescan(state);
}

/** Ends that: what was found is told of above every height up to which services may have been told. */
export function endRestore(state: Readable, upTo: number): void {
  const { meta, outputs } = state;
  meta.set('indexed_height', String(upTo));
  meta.remove('restore_height');
  outputs.tellWaiting(Math.max(toldUpTo(state), upTo) + 1);
}

/** The height up to which payments may have been told of before everything is read again; 0 if none ever were. */
export function toldUpTo({ cuts, meta }: Pick<State, 'cuts' | 'meta'>): number {
  return Math.max(meta.number('told_up_to', 0), cuts.newest()?.height ?? 0);
}

/** Whether addresses have a past that is to be read beside normal work. */
export function isRescanning(meta: Pick<Meta, 'get'>): boolean {
  return rescannedUpTo(meta) !== undefined;
}

/** The id of the last address whose past was read once more; undefined while nothing is. */
export function rescannedUpTo(meta: Pick<Meta, 'get'>): number | undefined {
  const upTo = meta.get('rescanning');
  return upTo === undefined ? undefined : Number(upTo);
}

/** Has the past of every address read once more, beside normal work. */
export function beginRescan({ meta }: Pick<Readable, 'meta'>): void {
  meta.set('rescanning', '0');
}

/** Has the past of the addresses read that are added from now on, unless more is read anyway. */
export function readAdded({ addresses, meta }: Pick<Readable, 'addresses' | 'meta'>): void {
  if (isRestoring(meta) || isRescanning(meta)) return;
  meta.set('rescanning', String(addresses.lastId()));
}

/** Records that the past of the addresses up to an id was read once more. */
export function rescanned({ meta }: Pick<Readable, 'meta'>, upToId: number): void {
  meta.set('rescanning', String(upToId));
}

export function endRescan({ meta }: Pick<Readable, 'meta'>): void {
  meta.remove('rescanning');
  meta.remove('seeks_used');
}

/**
 * Has addresses beyond those that are known looked for: until their past was read nobody can say which of the next ones
 * were given out before, by a state that is lost.
 */
export function seekUsed({ meta }: Pick<Readable, 'meta'>): void {
  meta.set('seeks_used', '1');
}

export function isSeekingUsed(meta: Pick<Meta, 'get'>): boolean {
  return meta.get('seeks_used') !== undefined;
}
