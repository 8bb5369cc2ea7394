/**
 * A change of one of the wallet's addresses, as the scan hands it on, and work on many of them a few at a time.
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

/** The results in the order of the items; the first failure ends it. */
export async function inParallel<Item, Result>(
  atOnce: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const worker = async (): Promise<void> => {
    for (const [at, item] of left) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return results;
}
