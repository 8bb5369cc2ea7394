/**
 * A received payment as callers and events see it.
 */
import { formatAmount } from 'svc-wasm';
import type { WalletOutput } from '../state/outputs.ts';

export interface PaymentDocument {
  readonly transaction: string;
  readonly output: number;
  readonly address: string;
  readonly label: string | null;
  readonly amount: string;
  readonly source: string;
  readonly height: number;
  readonly confirmations: number;
  readonly payload_text?: string | null;
  readonly payload_hex?: string;
  readonly senders: readonly string[] | null;
  readonly messenger?: true;
}

/** A message of the messenger is a payment without payload fields. */
export function paymentDocument(output: WalletOutput, indexedHeight: number): PaymentDocument {
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
    source: output.source,
    height: output.height,
    confirmations: Math.max(1, indexedHeight - output.height + 1),
    ...(output.isMessenger ? { messenger: true } : payload),
    senders: output.senders,
  };
}
