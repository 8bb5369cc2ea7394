/**
 * A state that is older than its wallet: it was put back from a backup together with its journal copy, so that only the
 * chain shows what both lack. Which requests were paid since nobody can say; nothing is paid until somebody accepts that.
 *
 * A state has every payment of its wallet from the height at which it first reached the head of its node. What lies
 * below, other states of the same words may have paid: those of a wallet that was restored from its words.
 */
import { WalletError } from '../base/wallet-error.ts';
import type { Meta } from './database.ts';
import type { State } from './open-state.ts';

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
export interface ChangeReuse {
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
