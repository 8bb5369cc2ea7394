/**
 * What became of transactions, from the chain, the blocks that wait and the mempool together.
 */
import type { TransactionStatusEntry } from 'svc-api';
import type { Signal } from 'svc-base/pure';
import type { ChainReader } from 'svc-storage';

export interface TransactionStatuses {
  /** In the order of the ids; null for one that this node knows nothing of. */
  of(ids: readonly string[], reader: ChainReader): Promise<(TransactionStatusEntry | null)[]>;
  /** The id of a transaction whose status may have changed. */
  readonly changed: Signal<string>;
}
