/**
 * The group `incoming`: payments that came in, finally or not yet, and everything else that lists what the chain knows
 * of the wallet.
 */
import {
  type MethodParams,
  type MethodResult,
  PAGE_DEFAULT,
  RECEIVED_MAX,
  STATEMENT_MAX,
} from 'svc-api/rpc';
import { coinsOf } from '../amounts.ts';
import { WalletError } from '../errors.ts';
import { paymentDocument } from '../scan/payment-details.ts';
import type { Flow } from '../state/cuts.ts';
import type { JournalTransaction } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import type { ToldOutput, WalletOutput } from '../state/outputs.ts';
import { isPastUnproven } from '../state/readings.ts';
import { type Handler, ownAddressOf, type WalletPorts } from './method.ts';

/**
 * Complete up to the height that is answered, which ends at a whole height when there is too much for one answer.
 * While old history is being read again nothing is complete, and the height says so.
 */
export const received: Handler<'received'> = (
  { scanner, state },
  { cursor, since_height: since, limit = RECEIVED_MAX },
) => {
  const indexed = isPastUnproven(state.meta) ? 0 : scanner.indexedHeight;
  if (cursor !== undefined)
    return receivedBehind(state, indexed, placeOf(state, cursor, since), limit);
  const found = state.outputs.receivedAfter(since, Math.max(indexed, since), limit + 1);
  const { payments, upTo } = wholeHeights(state.outputs, found, limit, indexed);
  return {
    indexed_height: upTo,
    payments: payments.map((payment) => paymentDocument(payment, indexed)),
    more: upTo < indexed,
  };
};

/** A row of a list by the height at which it is reported, and its number, which is above 0. */
type Place = readonly [height: number, id: number];

/**
 * Where a page goes on. After history was read again rows lie elsewhere: everything since the height that the caller has
 * stored is listed once more.
 */
function placeOf({ meta }: State, cursor: string, since: number): Place {
  const [generation, height, id] = cursor.split('-').map(Number);
  const isKnown = height !== undefined && generation === meta.number('generation', 0);
  return isKnown ? [height, id as number] : [since, Number.MAX_SAFE_INTEGER];
}

/** A page that may end within a height. The height that is answered is the last one of which everything was told. */
function receivedBehind(
  { meta, outputs }: State,
  indexed: number,
  place: Place,
  limit: number,
): MethodResult<'received'> {
  const found = outputs.receivedBehind(...place, indexed, limit + 1);
  const rest = found[limit];
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const payments = page.map((payment) => paymentDocument(payment, indexed));
  if (rest === undefined || last === undefined)
    return { indexed_height: indexed, payments, more: false };
  const next_cursor = `${meta.number('generation', 0)}-${last.toldHeight}-${last.id}`;
  return { indexed_height: rest.toldHeight - 1, payments, more: true, next_cursor };
}

function wholeHeights(
  outputs: { receivedAfter(after: number, upTo: number, limit: number): ToldOutput[] },
  found: ToldOutput[],
  limit: number,
  indexed: number,
): { payments: WalletOutput[]; upTo: number } {
  if (found.length <= limit) return { payments: found, upTo: indexed };
  const last = (found[limit] as ToldOutput).toldHeight;
  const whole = found.filter(({ toldHeight }) => toldHeight < last);
  if (whole.length > 0) return { payments: whole, upTo: last - 1 };
  return { payments: outputs.receivedAfter(last - 1, last, Number.MAX_SAFE_INTEGER), upTo: last };
}

export const incoming: Handler<'incoming'> = (wallet) => ({
  payments: wallet.incoming.list().map(({ atoms: _, ...payment }) => payment),
});

type OutputEntry = MethodResult<'outputs'>['outputs'][number];

export const outputs: Handler<'outputs'> = (wallet, { address, cursor, limit = PAGE_DEFAULT }) => {
  const { scanner, state } = wallet;
  const after = Number(cursor ?? 0);
  const found =
    address === undefined
      ? state.outputs.listUnspent(after, limit + 1)
      : state.outputs.listUnspentOf(ownAddressOf(wallet, address, 'address').id, after, limit + 1);
  const page = found.slice(0, limit);
  return {
    outputs: page.map((output) => outputEntry(output, scanner.indexedHeight)),
    ...(found.length > limit ? { next_cursor: String(page.at(-1)?.id) } : {}),
  };
};

function outputEntry(output: WalletOutput, indexedHeight: number): OutputEntry {
  return {
    transaction: output.transactionId,
    output: output.outputIndex,
    address: output.address,
    label: output.label,
    change: output.branch === 1,
    amount: coinsOf(output.amount),
    source: output.source as OutputEntry['source'],
    height: output.height,
    confirmations: Math.max(1, indexedHeight - output.height + 1),
    reserved: output.reservedBy !== null,
  };
}
type TransactionResult = MethodResult<'transaction'>;

/** One of the wallet's own, or one that pays the wallet. */
export const transaction: Handler<'transaction'> = (wallet, { transaction: id }) => {
  const { scanner, state } = wallet;
  const indexed = scanner.indexedHeight;
  const received = state.outputs.ofTransaction(id).filter(({ branch }) => branch === 0);
  const waiting = wallet.incoming.list().filter((payment) => payment.transaction === id);
  const own = state.journal.findTransaction(id);
  if (own === undefined && received.length === 0 && waiting.length === 0) {
    throw new WalletError('unknown_transaction', 'the transaction does not concern this wallet', {
      path: 'transaction',
    });
  }
  const height = own?.finalHeight ?? received[0]?.height ?? null;
  return {
    transaction: id,
    ...(own === undefined ? foreign(received.length > 0) : ofOwn(wallet, own)),
    height,
    confirmations: height === null ? 0 : Math.max(1, indexed - height + 1),
    received: received.map((output) => paymentDocument(output, indexed)),
    waiting: waiting.map(({ atoms: _, ...payment }) => payment),
  };
};

type OwnFields = Omit<
  TransactionResult,
  'transaction' | 'height' | 'confirmations' | 'received' | 'waiting'
>;

function ofOwn({ state }: WalletPorts, own: JournalTransaction): OwnFields {
  return {
    state: own.state,
    outcome: own.outcome,
    request_id: state.journal.request(own.request).requestId,
    kind: own.kind,
    amount: coinsOf(own.amount),
    fee: coinsOf(own.fee),
    recipients: JSON.parse(own.recipients) as unknown[],
    valid_until_height: own.validUntil,
    refusal:
      own.refusal === null ? null : (JSON.parse(own.refusal) as TransactionResult['refusal']),
    proof: own.proof === null ? null : (JSON.parse(own.proof) as unknown),
    created_at_millis: own.createdAtMillis,
  };
}

function foreign(isFinal: boolean): OwnFields {
  return {
    state: isFinal ? 'final' : 'waiting',
    outcome: isFinal ? 'finalized' : null,
    request_id: null,
    kind: null,
    amount: null,
    fee: null,
    recipients: [],
    valid_until_height: null,
    refusal: null,
    proof: null,
    created_at_millis: null,
  };
}

type HistoryEntry = MethodResult<'history'>['entries'][number];

/** An entry, and the cursor that goes on behind it. Of one height what came in comes first. */
interface Listed {
  readonly entry: HistoryEntry;
  readonly cursor: string;
}

/** What comes next in the two lists that a history is made of. */
interface Bounds {
  readonly received: Place;
  readonly sent: Place;
}

/**
 * Payments that came in and transactions of the wallet, newest first. Where heights fit into a page it ends with a whole
 * one; a height that has more ends it within, and the cursor says where.
 */
export const history: Handler<'history'> = (
  { state },
  { before_height, cursor, limit = PAGE_DEFAULT },
) => {
  const listed = listedBefore(state, boundsOf(cursor, before_height), limit + 1);
  const rest = listed[limit];
  if (rest === undefined) return { entries: listed.map(({ entry }) => entry) };
  const whole = listed.filter(({ entry }) => entry.height > rest.entry.height);
  const page = whole.length > 0 ? whole : listed.slice(0, limit);
  const [last] = page.slice(-1) as [Listed];
  return {
    entries: page.map(({ entry }) => entry),
    next_cursor: last.cursor,
    ...(whole.length > 0 ? { next_before: rest.entry.height + 1 } : {}),
  };
};

function boundsOf(cursor: string | undefined, beforeHeight: number | undefined): Bounds {
  if (cursor === undefined) {
    const before: Place = [beforeHeight ?? Number.MAX_SAFE_INTEGER, 0];
    return { received: before, sent: before };
  }
  if (beforeHeight !== undefined) {
    const message = 'a page goes on behind a cursor or before a height, not both';
    throw new WalletError('invalid_params', message, { path: 'before_height' });
  }
  const [height, list, id] = cursor.split('-');
  const at = Number(height);
  const last: Place = [at, Number(id)];
  return list === 'r'
    ? { received: last, sent: [at, Number.MAX_SAFE_INTEGER] }
    : { received: [at, 0], sent: last };
}

/** The first entries behind both bounds, at most as many as the limit. */
function listedBefore(state: State, { received, sent }: Bounds, limit: number): Listed[] {
  const listed = [
    ...state.outputs.receivedBefore(...received, limit).map(receivedRow),
    ...state.journal.listSettledBefore(...sent, limit).map((row) => sentRow(state, row)),
  ];
  return listed.sort((a, b) => b.entry.height - a.entry.height).slice(0, limit);
}

function receivedRow(output: WalletOutput): Listed {
  const entry: HistoryEntry = {
    direction: 'received',
    height: output.height,
    transaction: output.transactionId,
    amount: coinsOf(output.amount),
    output: output.outputIndex,
    address: output.address,
    label: output.label,
    source: output.source as NonNullable<HistoryEntry['source']>,
  };
  return { entry, cursor: `${output.height}-r-${output.id}` };
}

function sentRow({ journal }: State, transaction: JournalTransaction): Listed {
  const height = transaction.finalHeight as number;
  const entry: HistoryEntry = {
    direction: 'sent',
    height,
    transaction: transaction.transactionId,
    amount: coinsOf(transaction.amount),
    fee: coinsOf(transaction.fee),
    kind: transaction.kind,
    outcome: transaction.outcome as NonNullable<HistoryEntry['outcome']>,
    recipients: JSON.parse(transaction.recipients) as unknown[],
    request_id: journal.request(transaction.request).requestId,
  };
  return { entry, cursor: `${height}-s-${transaction.id}` };
}

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
