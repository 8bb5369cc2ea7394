/**
 * The method `statement`: a period with its opening and closing balance. It is told from what the chain has executed, and the
 * journal only says what the wallet made a transaction for. A period that is named by times is one of heights: whatever is
 * told of it is told of those.
 */
import { type MethodParams, type MethodResult, STATEMENT_MAX } from 'svc-api/rpc';
import { WalletError } from '../base/wallet-error.ts';
import type { Flow } from '../state/flows.ts';
import type { State } from '../state/open-state.ts';
import type { Handler } from './method.ts';
import { coinsOf } from './params.ts';

type Params = MethodParams<'statement'>;
type Entry = MethodResult<'statement'>['entries'][number];

export const statement: Handler<'statement'> = (wallet, params) => {
  wallet.expectHistoryRead();
  const { scanner, state } = wallet;
  const { limit = STATEMENT_MAX } = params;
  const { from, wanted } = heightsOf(state, params, scanner.indexedHeight);
  const to = Math.min(wanted, state.flows.wholeHeights(from, limit) ?? wanted);
  const opening = state.flows.balanceBefore(from);
  const times = state.cuts.times(from, to);
  let balance = opening;
  const entries = state.flows.between(from, to).map((flow) => {
    balance += flow.received - flow.spent;
    return entryOf(state, flow, balance, times.get(flow.height) ?? null);
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

/** The heights of a period. One that is named by times may have none: it ends before it begins, and nothing happened in it. */
function heightsOf(
  state: State,
  { from_height, from_millis, to_height, to_millis }: Params,
  indexed: number,
): { readonly from: number; readonly wanted: number } {
  if ((from_height === undefined) === (from_millis === undefined))
    throw refused('from_height', 'a period begins with a height or a time');
  if (to_height !== undefined && to_millis !== undefined)
    throw refused('to_height', 'a period ends with a height or a time');
  const from = from_height ?? heightAt(state, from_millis as number, 'from_millis', indexed);
  const end =
    to_millis === undefined
      ? (to_height ?? indexed)
      : heightAt(state, to_millis, 'to_millis', indexed) - 1;
  const wanted = Math.min(end, indexed);
  if (from <= wanted) return { from, wanted };
  const isEmpty = from_millis !== undefined && to_millis !== undefined && from_millis <= to_millis;
  if (isEmpty) return { from, wanted: Math.max(0, from - 1) };
  const path = from_height === undefined ? 'from_millis' : 'from_height';
  throw refused(path, `the period begins after its end, height ${wanted}`);
}

/**
 * The first height with outputs at a time or later, or the one after the newest. Throws where something happened of which
 * the wallet does not know on which side of the time it was.
 */
function heightAt({ cuts, flows }: State, millis: number, path: string, indexed: number): number {
  // Height 0 is no cut: what lies there was there from the beginning.
  const { before = 0, from = indexed + 1 } = cuts.around(millis);
  if (cuts.times(from, from).get(from) === millis) return from;
  const unknown = flows.firstFrom(before + 1);
  if (unknown === undefined || unknown >= from) return from;
  const message = `when cut ${unknown} was final is not known`;
  const hint = 'name heights there: the wallet did not follow those cuts one by one';
  throw new WalletError('invalid_params', message, { path, hint });
}

function refused(path: string, message: string): WalletError {
  return new WalletError('invalid_params', message, { path });
}

function entryOf(
  { journal }: State,
  flow: Flow,
  balance: bigint,
  finalized_at_millis: number | null,
): Entry {
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
    finalized_at_millis,
  };
}
