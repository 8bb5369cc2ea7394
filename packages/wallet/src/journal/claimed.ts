/**
 * Open transactions of this wallet of which the history says that they have spent their inputs, while nothing that was kept
 * then has proven it: a node told so of a past that it keeps no outcomes of, or another device of a shared wallet has paid.
 * They are settled once it is proven. Where the outcomes that validators signed lack one its coins are there again.
 */
import { provenPayments, type SpentProofPorts } from '../scan/prove-spent.ts';
import type { StoredEvent } from '../state/events.ts';
import type { JournalTransaction } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import { settleFromSpend } from './settle.ts';

export interface ClaimedPorts extends SpentProofPorts {
  readonly state: State;
}

/** Settles those that are proven now. Returns the events to tell. */
export async function settleClaimed(ports: ClaimedPorts): Promise<StoredEvent[]> {
  const { log, state } = ports;
  const claimed = state.due.contested().flatMap((transaction) => {
    const height = spentHeightOf(state, transaction);
    return height === null ? [] : [[transaction, height] as const];
  });
  if (claimed.length === 0) return [];
  const { executed, refuted } = await provenPayments(ports, claimed);
  return state.database.transaction(() => {
    for (const { height, id } of refuted) {
      const message =
        'a payment was said to be made, and the outcomes that validators signed lack it';
      log.error({ transaction: id, height }, message);
      for (const output of state.outputs.spentBy(id)) state.outputs.undoSpend(output.id, height);
    }
    const made = claimed.filter(([{ transactionId }]) => executed.has(transactionId));
    return made.flatMap(([{ transactionId }, height]) =>
      settleFromSpend(state, transactionId, height).map((notice) =>
        state.events.add('settled', height, notice),
      ),
    );
  });
}

/** The height at which a transaction has spent its inputs, as the history says; null if it says so of none. */
function spentHeightOf({ outputs }: State, { id, transactionId }: JournalTransaction) {
  const spent = outputs.reservedBy(id).find(({ spentBy }) => spentBy === transactionId);
  return spent?.spentHeight ?? null;
}
