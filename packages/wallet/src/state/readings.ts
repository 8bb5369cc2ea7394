/**
 * Marks in the state: how much of the past of the wallet's addresses is still to be read, and whether the state is older than
 * its wallet.
 */

import { WalletError } from '../errors.ts';
import type { Meta } from './database.ts';
import type { State } from './open-state.ts';
import { TOLD_LATER } from './outputs.ts';

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

/** Ends that: it is known what the wallet holds, and the past is read again beside normal work. */
export function endRestore(state: Readable, upTo: number): void {
  const { meta } = state;
  meta.set('indexed_height', String(upTo));
  meta.remove('restore_height');
  beginRescan(state);
}

/** Records that the node has listed a past, which is unproven until it was read again. */
export function markPastUnproven({ meta }: Pick<Readable, 'meta'>): void {
  meta.set('past_unproven', '1');
}

/** Whether the lists of the past are unproven since everything was read anew: until then they raise no event. */
export function isPastUnproven(meta: Pick<Meta, 'get'>): boolean {
  return meta.get('past_unproven') !== undefined;
}

/**
 * The height at which a payment is reported that the state lacked: above all that services have stored, and where others may
 * show that it is change, once all was read. A wallet that has never reported any reports each at its own.
 */
export function toldAtOf({ meta }: Pick<State, 'meta'>): number | undefined {
  if (isPastUnproven(meta)) return meta.number('told_up_to', 0) === 0 ? undefined : TOLD_LATER;
  if (meta.get('fixed_addresses') !== undefined) return TOLD_LATER;
  return meta.number('indexed_height', 0) + 1;
}

/** The height up to which payments may have been reported before everything is read again; 0 if none ever were. */
function toldUpTo({ cuts, meta }: Pick<State, 'cuts' | 'meta'>): number {
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

/** The height above which the past is read once more. */
export function rescannedAfter(meta: Pick<Meta, 'number'>): number {
  return meta.number('rescan_after', 0);
}

/** Has the past of every address above a height read once more, beside normal work. */
export function beginRescan({ meta }: Pick<Readable, 'meta'>, after = 0): void {
  meta.set(
    'rescan_after',
    String(isRescanning(meta) ? Math.min(rescannedAfter(meta), after) : after),
  );
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

/** Ends it when all was read: pending payments are reported above every height that services have stored. */
export function finishRescan(state: Readable): void {
  const indexed = state.meta.number('indexed_height', 0);
  state.outputs.tellWaiting(Math.max(toldUpTo(state), indexed) + 1);
  endRescan(state);
}

function endRescan({ meta }: Pick<Readable, 'meta'>): void {
  for (const name of ['rescanning', 'rescan_after', 'seeks_used', 'past_unproven'] as const)
    meta.remove(name);
}

/**
 * Has addresses beyond those that are known looked for: until their past was read it is unknown which of the next ones
 * were given out before, by a state that is lost.
 */
export function seekUsed({ meta }: Pick<Readable, 'meta'>): void {
  meta.set('seeks_used', '1');
}

export function isSeekingUsed(meta: Pick<Meta, 'get'>): boolean {
  return meta.get('seeks_used') !== undefined;
}

const OUTDATED = 'outdated ';
const COMPLETE_ABOVE = 'complete_above';
const REUSES_CHANGE = 'reuses_change';

/** Marks a state with the transaction that it does not know and only its wallet can have made. */
export function markOutdated({ meta }: Pick<State, 'meta'>, transaction: string): void {
  if (lostPaymentOf(meta) === undefined) meta.set('recovering', `${OUTDATED}${transaction}`);
}

/** Takes the state for the newest, whatever the chain shows of this wallet until its head is reached. */
export function acceptOutdated({ inputs, meta }: Pick<State, 'inputs' | 'meta'>): void {
  if (lostPaymentOf(meta) !== undefined) {
    // The mark may have taken the place of a recovery that had not come to its end.
    inputs.reserve();
    inputs.forgetExecuted();
    meta.remove('recovering');
  }
  meta.remove(COMPLETE_ABOVE);
}

/** Records that the head of the chain was reached: no other state pays for this wallet from here on. */
export function markComplete({ meta }: Pick<State, 'meta'>, height: number): void {
  if (completeAbove(meta) === undefined) meta.set(COMPLETE_ABOVE, String(height));
}

/** Has the state complete from a lower height on, because the history above that one is given up. */
export function lowerComplete({ meta }: Pick<State, 'meta'>, height: number): void {
  const above = completeAbove(meta);
  if (above !== undefined && above > height) meta.set(COMPLETE_ABOVE, String(height));
}

/** The height above which the state has every payment of its wallet; undefined before it has reached a head. */
export function completeAbove(meta: Pick<Meta, 'get'>): number | undefined {
  const kept = meta.get(COMPLETE_ABOVE);
  return kept === undefined ? undefined : Number(kept);
}

/** What a state knew when change began to come back to addresses that had some before. */
interface ChangeReuse {
  /** The position of the next address for change. Older states know of one that was given out later that it was not theirs. */
  readonly nextPosition: number;
  /** How far the chain was read. */
  readonly height: number;
}

/**
 * Records, once, that change of this wallet comes back to addresses that had some before. Change then shows no old state,
 * and whatever spends a coin of the wallet from here on without being in its journal does instead.
 */
export function markChangeReused({ addresses, cuts, meta }: State): void {
  if (changeReuse(meta) !== undefined) return;
  const height = meta.number('indexed_height', cuts.newest()?.height ?? 0);
  meta.set(REUSES_CHANGE, `${addresses.next(1)} ${height}`);
}

/** Undefined where change has always gone to new addresses. */
export function changeReuse(meta: Pick<Meta, 'get'>): ChangeReuse | undefined {
  const mark = meta.get(REUSES_CHANGE);
  if (mark === undefined) return undefined;
  const [nextPosition = 0, height = 0] = mark.split(' ').map(Number);
  return { nextPosition, height };
}

/** The transaction that shows that the state is outdated; undefined if none does. */
export function lostPaymentOf(meta: Pick<Meta, 'get'>): string | undefined {
  const mark = meta.get('recovering');
  return mark?.startsWith(OUTDATED) === true ? mark.slice(OUTDATED.length) : undefined;
}

/** Throws `recovering` for a state that is outdated. */
export function expectNotOutdated(meta: Pick<Meta, 'get'>): void {
  const transaction = lostPaymentOf(meta);
  if (transaction === undefined) return;
  const message = 'the chain shows a payment of this wallet that state and journal copy lack';
  throw new WalletError('recovering', message, {
    hint: 'both are old: bring back the newest; or find out which requests were paid since, and start with --accept-state',
    details: { transaction },
  });
}
