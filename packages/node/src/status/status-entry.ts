/**
 * One status of a transaction as the API shows it.
 */
import type { CutReference, TransactionStatusEntry } from 'svc-api';

export type Lifecycle = TransactionStatusEntry['lifecycle'];
export type Failure = NonNullable<TransactionStatusEntry['failure']>;

export interface Places {
  readonly blockId?: string;
  readonly registered?: CutReference | null;
  readonly executed?: CutReference | null;
}

export function statusEntry(
  id: string,
  lifecycle: Lifecycle,
  failure: Failure | null,
  { blockId, registered = null, executed = null }: Places = {},
): TransactionStatusEntry {
  return {
    transaction_id: id,
    lifecycle,
    observed_work: blockId === undefined ? null : { block_id: blockId },
    registered_cut: registered,
    finalized_cut: executed,
    failure,
  };
}
