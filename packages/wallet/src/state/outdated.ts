/**
 * A state that is older than its wallet: it was put back from a backup together with its journal copy, so that only the
 * chain shows what both lack. Which requests were paid since nobody can say; nothing is paid until somebody accepts that.
 */
import { WalletError } from '../base/wallet-error.ts';
import type { Meta } from './database.ts';
import type { State } from './open-state.ts';

const OUTDATED = 'outdated ';

/** Marks a state with the transaction that it does not know and only its wallet can have made. */
export function markOutdated({ meta }: Pick<State, 'meta'>, transaction: string): void {
  if (lostPaymentOf(meta) === undefined) meta.set('recovering', `${OUTDATED}${transaction}`);
}

export function acceptOutdated({ meta }: Pick<State, 'meta'>): void {
  if (lostPaymentOf(meta) !== undefined) meta.remove('recovering');
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
