/**
 * The method `statement`: a period with its opening and closing balance. It is told from what the chain has executed, and the
 * journal only says what the wallet made a transaction for.
 */
import { type MethodResult, STATEMENT_MAX } from 'svc-api/rpc';
import { WalletError } from '../base/wallet-error.ts';
import type { Flow } from '../state/flows.ts';
import type { State } from '../state/open-state.ts';
import type { Handler } from './method.ts';
import { coinsOf } from './params.ts';

type Entry = MethodResult<'statement'>['entries'][number];

export const statement: Handler<'statement'> = (
  wallet,
  { from_height: from, to_height, limit = STATEMENT_MAX },
) => {
  wallet.expectHistoryRead();
  const { scanner, state } = wallet;
  const wanted = Math.min(to_height ?? scanner.indexedHeight, scanner.indexedHeight);
  if (from > wanted) {
    const message = `the period begins after its end, height ${wanted}`;
    throw new WalletError('invalid_params', message, { path: 'from_height' });
  }
  const to = Math.min(wanted, state.flows.wholeHeights(from, limit) ?? wanted);
  const opening = state.flows.balanceBefore(from);
  let balance = opening;
  const entries = state.flows.between(from, to).map((flow) => {
    balance += flow.received - flow.spent;
    return entryOf(state, flow, balance);
  });
  return {
    from_height: from,
    to_height: to,
    opening: coinsOf(opening),
    closing: coinsOf(balance),
    entries,
    more: to < wanted,
  };
};

function entryOf({ journal }: State, flow: Flow, balance: bigint): Entry {
  const { height, received, spent, transactionId } = flow;
  const own = journal.findTransaction(transactionId);
  const change = received - spent;
  return {
    height,
    transaction: transactionId,
    received: coinsOf(received),
    spent: coinsOf(spent),
    change: change < 0n ? `-${coinsOf(-change)}` : coinsOf(change),
    balance: coinsOf(balance),
    kind: own?.kind ?? null,
    fee: own === undefined ? null : coinsOf(own.fee),
    request_id: own === undefined ? null : journal.request(own.request).requestId,
  };
}
