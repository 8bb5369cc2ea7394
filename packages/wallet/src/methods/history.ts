/**
 * The method `history`: payments that came in and transactions of the wallet, newest first. Where heights fit into a
 * page it ends with a whole one; a height that has more ends it within, and the cursor tells where.
 */
import { type MethodResult, PAGE_DEFAULT } from 'svc-api/rpc';
import { WalletError } from '../base/wallet-error.ts';
import type { JournalTransaction } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import type { WalletOutput } from '../state/outputs.ts';
import type { Handler } from './method.ts';
import { coinsOf } from './params.ts';

type HistoryEntry = MethodResult<'history'>['entries'][number];

/** A row of a list by its height and its number, which is above 0. */
type Place = readonly [height: number, id: number];

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
