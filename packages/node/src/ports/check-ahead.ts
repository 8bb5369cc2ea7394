/**
 * Signatures of transactions that the next cut executes, checked ahead of it and in other threads.
 */
import type { ExecutableTransaction, StateView } from 'svc-ledger';

export interface CheckAhead {
  /**
   * Notes the transactions whose signatures hold for the outputs that the view shows, with
   * `WireTransactions.accept`; others are left to the cut. Resolves when all are checked, and never rejects.
   */
  checkAhead(transactions: readonly ExecutableTransaction[], view: StateView): Promise<void>;
}

/** The cut checks everything itself. */
export const NO_CHECK_AHEAD: CheckAhead = { checkAhead: async () => {} };
