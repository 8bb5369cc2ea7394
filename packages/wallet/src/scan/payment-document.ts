/**
 * A received payment as callers and events see it.
 */
import type { ReceivedPayment } from 'svc-api/rpc';
import { formatAmount } from 'svc-wasm';
import type { WalletOutput } from '../state/outputs.ts';

/** A message of the messenger is a payment without payload fields. */
export function paymentDocument(output: WalletOutput, indexedHeight: number): ReceivedPayment {
  const payload = {
    payload_text: output.payloadText,
    ...(output.payloadHex === null ? {} : { payload_hex: output.payloadHex }),
  };
  return {
    transaction: output.transactionId,
    output: output.outputIndex,
    address: output.address,
    label: output.label,
    amount: formatAmount(String(output.amount)),
    source: output.source as ReceivedPayment['source'],
    height: output.height,
    confirmations: Math.max(1, indexedHeight - output.height + 1),
    ...(output.isMessenger ? { messenger: true } : payload),
    ...(typeof output.senders === 'string'
      ? { senders: [], senders_unknown: output.senders }
      : { senders: [...output.senders] }),
  };
}
