/**
 * Signatures of transactions that the next cut executes, checked ahead of it and in other threads.
 */
import type { ExecutableTransaction, Outpoint, StateView, TransactionOutput } from 'svc-ledger';

/** An output that a transaction makes which waits to be executed. */
export type FindWaitingOutput = (outpoint: Outpoint) => TransactionOutput | undefined;

export interface CheckAhead {
  /**
   * Notes the transactions whose signatures hold for the outputs that wait or that the view shows, with
   * `WireTransactions.accept`; others are left to the cut. Resolves when all are checked, and never rejects.
   */
  checkAhead(
    transactions: readonly ExecutableTransaction[],
    view: StateView,
    findWaiting?: FindWaitingOutput,
  ): Promise<void>;
}

/** The cut checks everything itself. */
export const NO_CHECK_AHEAD: CheckAhead = { checkAhead: async () => {} };
