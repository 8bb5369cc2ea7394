/**
 * The payments from which chats are rebuilt, read one by one: an entry whose addresses or payload
 * cannot be a messenger's is set aside with its reason and never spoils the others.
 */
import { fromHex, toHex } from '../base/bytes.ts';
import { expectArray, Fields, U64_MAX } from '../base/fields.ts';
import type { Json } from '../base/json.ts';
import { parseJson } from '../base/json.ts';
import type { Network } from '../base/networks.ts';
import { expectNetwork } from '../base/networks.ts';
import { ID_BYTES } from '../base/sizes.ts';
import { isRefusal } from '../base/svc-error.ts';
import { OWN_ADDRESSES_MAX, PAYMENTS_CHARACTERS_MAX, PAYMENTS_MAX } from './limits.ts';
import { expectTwo, partyAddress } from './party.ts';
import type { MessengerPayload } from './payload.ts';
import { decodeMessengerPayload } from './payload.ts';

const PAYLOAD_CHARACTERS_MAX = 2 * 8192;
const PAYMENT_FIELDS = [
  'transaction_id',
  'height',
  'sender_address',
  'recipient_address',
  'payload_hex',
];

export interface Payment {
  readonly transactionId: string;
  readonly height: bigint | undefined;
  readonly sender: Uint8Array;
  readonly recipient: Uint8Array;
  readonly payload: Uint8Array;
  readonly decoded: MessengerPayload;
}

export interface Ignored {
  readonly transaction_id: string;
  readonly reason: string;
}

export interface PaymentList {
  readonly network: Network;
  /** Own addresses, in hexadecimal. */
  readonly own: ReadonlySet<string>;
  /** In the order of the chain; payments that are not final yet come last. */
  readonly payments: readonly Payment[];
  readonly ignored: Ignored[];
}

/** Reads `{network, own_addresses, payments}`. */
export function readPaymentList(paymentsJson: string): PaymentList {
  const document = parseJson(paymentsJson, 'request', PAYMENTS_CHARACTERS_MAX);
  const fields = new Fields(document, 'request', ['network', 'own_addresses', 'payments']);
  const network = expectNetwork(fields.value('network'), fields.at('network'));
  const own = new Set<string>();
  for (const [at, text] of fields.array('own_addresses', OWN_ADDRESSES_MAX).entries()) {
    own.add(toHex(partyAddress(text, network, `${fields.at('own_addresses')}[${at}]`)));
  }
  const ignored: Ignored[] = [];
  const payments: Payment[] = [];
  const entries = expectArray(fields.value('payments'), fields.at('payments'), PAYMENTS_MAX);
  for (const [at, entry] of entries.entries()) {
    const payment = readPayment(entry, network, `${fields.at('payments')}[${at}]`, ignored);
    if (payment !== undefined) payments.push(payment);
  }
  return { network, own, payments: payments.sort(byHeight), ignored };
}

export function byHeight(
  a: { readonly height: bigint | undefined },
  b: { readonly height: bigint | undefined },
): number {
  if (a.height === b.height) return 0;
  if (a.height === undefined) return 1;
  if (b.height === undefined) return -1;
  return a.height < b.height ? -1 : 1;
}

function readPayment(
  entry: Json,
  network: Network,
  path: string,
  ignored: Ignored[],
): Payment | undefined {
  const fields = new Fields(entry, path, PAYMENT_FIELDS);
  const transactionId = fields.string('transaction_id', 2 * ID_BYTES);
  fromHex(transactionId, fields.at('transaction_id'), ID_BYTES);
  const height = fields.has('height') ? fields.decimal('height', { max: U64_MAX }) : undefined;
  try {
    const sender = partyAddress(fields.value('sender_address'), network, path);
    const recipient = partyAddress(fields.value('recipient_address'), network, path);
    expectTwo(sender, recipient, path);
    const text = fields.string('payload_hex', PAYLOAD_CHARACTERS_MAX);
    const payload = fromHex(text, fields.at('payload_hex'));
    const decoded = decodeMessengerPayload(payload);
    return { transactionId, height, sender, recipient, payload, decoded };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    ignored.push({ transaction_id: transactionId, reason: error.code });
    return undefined;
  }
}
