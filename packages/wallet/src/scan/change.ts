/**
 * A change of one of the wallet's addresses, as the scan hands it on.
 */
import type { AddressChange } from 'svc-api';
import type { SendersUnknown } from 'svc-client';

export type Change = AddressChange;

/** The text of a payment, and who sent it: none, with the reason, unless the signatures were checked. */
export interface PaymentDetails {
  readonly payloadText: string | null;
  readonly payloadHex: string | null;
  readonly senders: readonly string[] | SendersUnknown;
  readonly isMessenger: boolean;
}

export const NO_DETAILS: PaymentDetails = {
  payloadText: null,
  payloadHex: null,
  senders: 'not_kept',
  isMessenger: false,
};

export interface DetailedChange extends Change {
  readonly addressId: number;
  readonly details: PaymentDetails;
}
