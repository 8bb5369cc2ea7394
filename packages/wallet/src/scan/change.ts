/**
 * A change of one of the wallet's addresses, as the scan hands it on.
 */
import type { AddressChange } from 'svc-api';

export type Change = AddressChange;

/** What a sender told with a payment, and who sent it; null where the node keeps no transactions. */
export interface PaymentDetails {
  readonly payloadText: string | null;
  readonly payloadHex: string | null;
  readonly senders: readonly string[] | null;
  readonly isMessenger: boolean;
}

export const NO_DETAILS: PaymentDetails = {
  payloadText: null,
  payloadHex: null,
  senders: null,
  isMessenger: false,
};

export interface DetailedChange extends Change {
  readonly addressId: number;
  readonly details: PaymentDetails;
}
