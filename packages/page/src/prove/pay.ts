/**
 * A payment made in the tab: the key is derived from the words, signs here, and only the signed bytes are sent. It is for
 * development networks, whose words are public.
 */
import { Account, createClient, payWithPayload } from 'svc-client';

export interface PayOrder {
  readonly words: string;
  /** Which of the addresses of the words pays. */
  readonly from: number;
  readonly to: string;
  readonly atoms: string;
  /** Bytes for the receiver, hexadecimal. */
  readonly payloadHex: string;
}

/** Signs and submits; returns the id of the transaction. */
export async function payFromTab(origin: string, order: PayOrder): Promise<string> {
  const client = createClient({ url: origin });
  const { network } = await client.transactionsManifest();
  if (network !== 'development') {
    throw new Error('keys are typed into a page on development networks only');
  }
  const from = new Account(order.words, { network, index: order.from });
  try {
    const { to, atoms, payloadHex } = order;
    const payment = { from, to, amount: BigInt(atoms), payloadHex, options: {} };
    return (await payWithPayload(client, payment)).transactionId;
  } finally {
    from.free();
  }
}
