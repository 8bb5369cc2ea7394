/**
 * Looking up a request that pays by the name its caller gave it. It reads the journal and nothing else: a lookup never
 * sends, repeats or records anything.
 */
import type { MethodResult } from 'svc-api/rpc';
import { WalletError } from '../base/wallet-error.ts';
import { outcomeOf, ownTransactions } from '../journal/outgoing.ts';
import type { JournalRequest, JournalTransaction } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import type { Handler } from './method.ts';
import { coinsOf } from './params.ts';

type Found = MethodResult<'request'>;

const STATES = { accepted: 'making', built: 'made', refused: 'refused' } as const;

export const request: Handler<'request'> = ({ outgoing, scanner, state }, { request_id }) => {
  const known = state.journal.findRequest(request_id);
  const indexed_height = scanner.indexedHeight;
  if (known !== undefined) {
    const transactions = state.journal.transactionsOf(known.id);
    const cancelled_by = cancellationOf(state, transactions);
    const isHeld = state.stopped.isHeld(known.id);
    return { ...recorded(known, transactions, isHeld), cancelled_by, indexed_height };
  }
  const method = outgoing.methodInFlight(request_id);
  if (method !== undefined) {
    return { ...beingMade(request_id, method), cancelled_by: null, indexed_height };
  }
  throw new WalletError('unknown_request', 'the wallet has recorded no request of this name', {
    path: 'request_id',
    hint: 'nothing was paid under it; repeat the call that pays, with the same request_id',
  });
};

/** The name of the request that cancels one of the transactions. */
function cancellationOf(
  { journal }: Pick<State, 'journal'>,
  transactions: readonly JournalTransaction[],
): string | null {
  for (const { id } of transactions) {
    const replacement = journal.replacementOf(id);
    if (replacement !== undefined) return journal.request(replacement.request).requestId;
  }
  return null;
}

function recorded(
  known: JournalRequest,
  transactions: readonly JournalTransaction[],
  isHeld: boolean,
): Omit<Found, 'indexed_height' | 'cancelled_by'> {
  const isMade = known.state === 'built';
  return {
    request_id: known.requestId,
    method: known.method,
    state: STATES[known.state],
    ...(isHeld ? { held: true } : {}),
    outcome: isMade ? outcomeOf(ownTransactions(known, transactions)) : null,
    result: known.result === null ? null : (JSON.parse(known.result) as Found['result']),
    refusal: known.refusal === null ? null : (JSON.parse(known.refusal) as Found['refusal']),
    transactions: transactions.map(({ amount, fee, ...transaction }) => ({
      transaction: transaction.transactionId,
      kind: transaction.kind,
      state: transaction.state,
      outcome: transaction.outcome,
      amount: coinsOf(amount),
      fee: coinsOf(fee),
      height: transaction.finalHeight,
      valid_until_height: transaction.validUntil,
    })),
    created_at_millis: known.createdAtMillis,
  };
}

/** A call that has not been recorded: it is paid or refused when it has been. */
function beingMade(
  requestId: string,
  method: string,
): Omit<Found, 'indexed_height' | 'cancelled_by'> {
  return {
    request_id: requestId,
    method,
    state: 'making',
    outcome: null,
    result: null,
    refusal: null,
    transactions: [],
    created_at_millis: null,
  };
}
