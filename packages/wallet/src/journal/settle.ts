/**
 * Final outcomes of the wallet's own transactions. An outcome is final when a finalized cut spent the inputs,
 * through the transaction itself or, proven, through another, or when the time of the transaction has passed. Only then
 * are the outputs free again that the transaction reserved; those of a cancelled payment once the cancellation is
 * decided too.
 */
import type { EventData } from 'svc-api/rpc';
import { coinsOf } from '../amounts.ts';
import type { JournalTransaction, Settlement } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import { auditTransaction } from './record.ts';

/** The data of the event `settled`. */
export type SettledNotice = Omit<EventData<'settled'>, 'subscription' | 'sequence'>;

/**
 * Settles the transaction of this wallet that has spent an output, once it is proven that a cut has executed it. A
 * transaction that had reserved the output and is another one waits until the conflict is proven.
 */
export function settleFromSpend(state: State, spender: string, height: number): SettledNotice[] {
  const own = state.journal.findTransaction(spender);
  if (own === undefined || own.state === 'final') return [];
  return [settle(state, own, { outcome: 'finalized', height })];
}

/**
 * Records the outcome within the caller's commit. The outputs that the transaction reserved are free, unless another
 * open transaction spends them too: then that one holds them.
 */
export function settle(
  state: State,
  transaction: JournalTransaction,
  settlement: Settlement,
): SettledNotice {
  state.journal.settle(transaction.id, settlement);
  // Another history may bring a dead transaction back to life.
  if (settlement.outcome !== 'finalized') state.inputs.keepReserved(transaction.id);
  const rival = state.journal.openRival(transaction);
  if (rival === undefined) {
    state.outputs.release(transaction.id);
  } else {
    state.outputs.passOn(transaction.id, rival);
    state.inputs.passOn(transaction.id, rival);
  }
  const { height, outcome } = settlement;
  auditTransaction(state, transaction, { event: outcome, height });
  const request = state.journal.request(transaction.request);
  return {
    transaction: transaction.transactionId,
    request_id: request.requestId,
    kind: transaction.kind,
    automatic: request.isAutomatic,
    outcome: settlement.outcome,
    finalized_height: settlement.height,
    amount: coinsOf(transaction.amount),
    fee: coinsOf(transaction.fee),
    recipients: JSON.parse(transaction.recipients) as unknown[],
  };
}
