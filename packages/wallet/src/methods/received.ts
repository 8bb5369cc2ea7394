/**
 * `received`: complete up to the height it answers, which ends at a whole height when there is too much for
 * one answer. While old history is being read again nothing is complete, and the height says so.
 */
import { RECEIVED_MAX } from 'svc-api/rpc';
import { paymentDocument } from '../scan/payment-document.ts';
import type { WalletOutput } from '../state/outputs.ts';
import type { Handler } from './handler.ts';

export const received: Handler<'received'> = (
  { scanner, state },
  { since_height: since, limit = RECEIVED_MAX },
) => {
  const indexed = scanner.indexedHeight;
  const found = state.outputs.receivedAfter(since, Math.max(indexed, since), limit + 1);
  const { payments, upTo } = wholeHeights(state.outputs, found, limit, indexed);
  return {
    indexed_height: upTo,
    payments: payments.map((payment) => paymentDocument(payment, indexed)),
    more: upTo < indexed,
  };
};

function wholeHeights(
  outputs: { receivedAfter(after: number, upTo: number, limit: number): WalletOutput[] },
  found: WalletOutput[],
  limit: number,
  indexed: number,
): { payments: WalletOutput[]; upTo: number } {
  if (found.length <= limit) return { payments: found, upTo: indexed };
  const last = (found[limit] as WalletOutput).height;
  const whole = found.filter(({ height }) => height < last);
  if (whole.length > 0) return { payments: whole, upTo: last - 1 };
  return { payments: outputs.receivedAfter(last - 1, last, Number.MAX_SAFE_INTEGER), upTo: last };
}
