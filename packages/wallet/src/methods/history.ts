/** `history`: payments that came in and transactions of the wallet, newest first, by whole heights. */
import { type MethodResult, PAGE_DEFAULT } from 'svc-api/rpc';
import type { JournalTransaction } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import type { WalletOutput } from '../state/outputs.ts';
import type { Handler } from './handler.ts';
import { coinsOf } from './values.ts';

type Entry = MethodResult<'history'>['entries'][number];

export const history: Handler<'history'> = ({ state }, { before_height, limit = PAGE_DEFAULT }) => {
  const before = before_height ?? Number.MAX_SAFE_INTEGER;
  const entries = entriesOf(
    state,
    state.outputs.receivedBefore(before, limit + 1),
    state.journal.listSettledBefore(before, limit + 1),
  );
  if (entries.length <= limit) return { entries };
  const cut = (entries[limit] as Entry).height;
  const whole = entries.filter(({ height }) => height > cut);
  if (whole.length > 0) return { entries: whole, next_before: cut + 1 };
  return { entries: entriesAt(state, cut), next_before: cut };
};

/** A height with more entries than a page is answered whole. */
function entriesAt(state: State, height: number): Entry[] {
  const settled = state.journal.listSettledBefore(height + 1, Number.MAX_SAFE_INTEGER);
  return entriesOf(
    state,
    state.outputs.receivedAfter(height - 1, height, Number.MAX_SAFE_INTEGER),
    settled.filter(({ finalHeight }) => finalHeight === height),
  );
}

function entriesOf(
  state: State,
  received: readonly WalletOutput[],
  settled: readonly JournalTransaction[],
): Entry[] {
  const sent = settled.map((transaction) => ({
    ...sentEntry(transaction),
    request_id: state.journal.request(transaction.request).requestId,
  }));
  return [...received.map(receivedEntry), ...sent].sort((a, b) => b.height - a.height);
}

function receivedEntry(output: WalletOutput): Entry {
  return {
    direction: 'received',
    height: output.height,
    transaction: output.transactionId,
    amount: coinsOf(output.amount),
    output: output.outputIndex,
    address: output.address,
    label: output.label,
    source: output.source as NonNullable<Entry['source']>,
  };
}

function sentEntry(transaction: JournalTransaction): Entry {
  return {
    direction: 'sent',
    height: transaction.finalHeight as number,
    transaction: transaction.transactionId,
    amount: coinsOf(transaction.amount),
    fee: coinsOf(transaction.fee),
    kind: transaction.kind,
    outcome: transaction.outcome as NonNullable<Entry['outcome']>,
    recipients: JSON.parse(transaction.recipients) as unknown[],
  };
}
