/**
 * Final outcomes of the wallet's own transactions. An outcome is final when a finalized cut spent the inputs,
 * through the transaction itself or through another, or when the time of the transaction has passed. Only then are
 * the outputs free again that the transaction reserved.
 */
import { formatAmount } from 'svc-wasm';
import type { JournalTransaction, Settlement } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import type { WalletOutput } from '../state/outputs.ts';

/** The data of the event `settled`. */
export interface SettledNotice {
  readonly transaction: string;
  readonly request_id: string;
  readonly kind: string;
  readonly automatic: boolean;
  readonly outcome: Settlement['outcome'];
  readonly finalized_height: number;
  readonly amount: string;
  readonly fee: string;
  readonly recipients: unknown;
}

/**
 * Settles the transaction that had reserved an output, once a finalized cut has spent the output, and the transaction of
 * this wallet that has spent it. They are one and the same unless something went wrong, or the spender came back from
 * the journal copy.
 */
export function settleFromSpend(
  state: State,
  output: WalletOutput,
  spender: string,
  height: number,
): SettledNotice[] {
  const own = state.journal.findTransaction(spender);
  const holder = output.reservedBy === null ? own : state.journal.transaction(output.reservedBy);
  const notices: SettledNotice[] = [];
  if (own !== undefined && own.state !== 'final') {
    notices.push(settle(state, own, { outcome: 'finalized', height }));
  }
  if (holder !== undefined && holder.id !== own?.id && holder.state !== 'final') {
    notices.push(settle(state, holder, { outcome: 'conflict', height }));
  }
  return notices;
}

/** Records the outcome and frees the outputs that the transaction reserved, within the caller's commit. */
export function settle(
  state: State,
  transaction: JournalTransaction,
  settlement: Settlement,
): SettledNotice {
  state.journal.settle(transaction.id, settlement);
  state.outputs.release(transaction.id);
  const request = state.journal.request(transaction.request);
  return {
    transaction: transaction.transactionId,
    request_id: request.requestId,
    kind: transaction.kind,
    automatic: request.isAutomatic,
    outcome: settlement.outcome,
    finalized_height: settlement.height,
    amount: formatAmount(String(transaction.amount)),
    fee: formatAmount(String(transaction.fee)),
    recipients: JSON.parse(transaction.recipients) as unknown,
  };
}
