/**
 * Rebuilds the chats of an account from its secret and the payments on the chain. Requests are read
 * first, then answers, then messages, so the order of the list does not matter; a payload that is
 * damaged, repeated or meant for others is named in `ignored` and changes nothing else.
 */
import { equalBytes, toHex, wipe } from '../base/bytes.ts';
import { isRefusal } from '../base/svc-error.ts';
import { encodeAddress } from '../text/address.ts';
import type { ChatKeys, RequestKeys } from './chat-keys.ts';
import { decapsulate, encapsulate, requestKeys, wipeChatKeys } from './chat-keys.ts';
import type { MessengerChat, MessengerChats, MessengerMessage } from './documents.ts';
import type { Pair } from './party.ts';
import { chatIdOf, messengerIdBytes, requestId } from './party.ts';
import type { AcceptPayload, MessagePayload, RequestPayload } from './payload.ts';
import { DIRECTIONS } from './payload.ts';
import type { Ignored, Payment, PaymentList } from './payments.ts';
import { byHeight, readPaymentList } from './payments.ts';
import { openMessage } from './seal.ts';

interface Message {
  readonly transactionId: string;
  readonly height: bigint | undefined;
  readonly sent: boolean;
  readonly sequence: number;
  readonly text: string;
}

interface Chat {
  readonly pair: Pair;
  readonly id: Uint8Array;
  readonly request: RequestPayload;
  readonly requestPayment: Payment;
  /** The key pair of the request when we asked for the chat. */
  readonly requested: RequestKeys | undefined;
  acceptPayment: Payment | undefined;
  keys: ChatKeys | undefined;
  readonly payloads: Set<string>;
  readonly messages: Message[];
}

/** Why a well-formed payload was set aside. */
type Reason = 'wrong_party' | 'unknown_chat' | 'duplicate';

export function rebuildChats(secret: Uint8Array, paymentsJson: string): string {
  const list = readPaymentList(paymentsJson);
  const book = new Map<string, Chat>();
  try {
    for (const kind of ['request', 'accept', 'message'] as const) {
      for (const payment of list.payments) {
        if (payment.decoded.kind === kind) applyPayment(secret, list, book, payment);
      }
    }
    const chats = [...book.values()].map(describe);
    return JSON.stringify({ chats, ignored: list.ignored } satisfies MessengerChats);
  } finally {
    for (const chat of book.values()) forget(chat);
  }
}

function applyPayment(
  secret: Uint8Array,
  list: PaymentList,
  book: Map<string, Chat>,
  payment: Payment,
): void {
  const { decoded } = payment;
  const ignore = (reason: Ignored['reason']): void => {
    list.ignored.push({ transaction_id: payment.transactionId, reason });
  };
  try {
    const reason =
      decoded.kind === 'request'
        ? applyRequest(secret, list, book, payment, decoded)
        : decoded.kind === 'accept'
          ? applyAccept(secret, book, payment, decoded)
          : applyMessage(book, payment, decoded);
    if (reason !== undefined) ignore(reason);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    ignore(error.code);
  }
}

function applyRequest(
  secret: Uint8Array,
  { network, own }: PaymentList,
  book: Map<string, Chat>,
  payment: Payment,
  request: RequestPayload,
): Reason | undefined {
  const pair = { network, requester: payment.sender, accepter: payment.recipient };
  const id = requestId(pair, payment.payload);
  const name = toHex(chatIdOf(id));
  if (book.has(name)) return 'duplicate';
  const requested = own.has(toHex(payment.sender)) ? ownRequest(secret, pair, request) : undefined;
  if (requested === undefined && !own.has(toHex(payment.recipient))) return 'wrong_party';
  book.set(name, {
    pair,
    id,
    request,
    requestPayment: payment,
    requested,
    acceptPayment: undefined,
    keys: undefined,
    payloads: new Set(),
    messages: [],
  });
  return undefined;
}

function ownRequest(
  secret: Uint8Array,
  pair: Pair,
  request: RequestPayload,
): RequestKeys | undefined {
  const keys = requestKeys(secret, pair, request.nonce);
  if (equalBytes(keys.publicKey, request.publicKey)) return keys;
  wipe(keys.secretKey);
  return undefined;
}

function applyAccept(
  secret: Uint8Array,
  book: Map<string, Chat>,
  payment: Payment,
  accept: AcceptPayload,
): Reason | undefined {
  const chat = book.get(toHex(accept.chatId));
  if (chat === undefined) return 'unknown_chat';
  const { pair, id } = chat;
  if (!travels(payment, pair.accepter, pair.requester)) return 'wrong_party';
  if (chat.keys !== undefined) return 'duplicate';
  const keys =
    chat.requested === undefined
      ? ownAnswer(secret, chat, accept)
      : decapsulate(chat.requested, pair, id, accept);
  if (keys === undefined) return 'wrong_party';
  chat.keys = keys;
  chat.acceptPayment = payment;
  return undefined;
}

function ownAnswer(
  secret: Uint8Array,
  { pair, request, id }: Chat,
  accept: AcceptPayload,
): ChatKeys | undefined {
  const { ciphertext, keys } = encapsulate(secret, pair, request, id);
  const same = equalBytes(ciphertext, accept.ciphertext);
  if (same && equalBytes(keys.confirmation, accept.confirmation)) return keys;
  wipeChatKeys(keys);
  return undefined;
}

function applyMessage(
  book: Map<string, Chat>,
  payment: Payment,
  message: MessagePayload,
): Reason | undefined {
  const chat = book.get(toHex(message.chatId));
  if (chat?.keys === undefined) return 'unknown_chat';
  const { requester, accepter } = chat.pair;
  const fromRequester = message.direction === DIRECTIONS.fromRequester;
  const [sender, recipient] = fromRequester ? [requester, accepter] : [accepter, requester];
  if (!travels(payment, sender, recipient)) return 'wrong_party';
  const payload = toHex(payment.payload);
  if (chat.payloads.has(payload)) return 'duplicate';
  const text = openMessage(chat.keys, chat.pair, message);
  chat.payloads.add(payload);
  const { transactionId, height } = payment;
  const sent = fromRequester === (chat.requested !== undefined);
  chat.messages.push({ transactionId, height, sent, sequence: message.sequence, text });
  return undefined;
}

function travels(payment: Payment, sender: Uint8Array, recipient: Uint8Array): boolean {
  return equalBytes(payment.sender, sender) && equalBytes(payment.recipient, recipient);
}

function forget(chat: Chat): void {
  if (chat.requested !== undefined) wipe(chat.requested.secretKey);
  if (chat.keys !== undefined) wipeChatKeys(chat.keys);
}

function describe(chat: Chat): MessengerChat {
  const { pair, requested, requestPayment, acceptPayment, messages } = chat;
  const asked = requested !== undefined;
  const [own, peer] = asked ? [pair.requester, pair.accepter] : [pair.accepter, pair.requester];
  const sent = messages.filter((message) => message.sent).map(({ sequence }) => sequence);
  const unanswered = asked ? 'requested' : 'invited';
  return {
    chat_id: toHex(chatIdOf(chat.id)),
    state: acceptPayment === undefined ? unanswered : 'open',
    own_address: encodeAddress(own, pair.network),
    peer_address: encodeAddress(peer, pair.network),
    peer_messenger_id: toHex(messengerIdBytes(pair.network, peer)),
    request_transaction_id: requestPayment.transactionId,
    request_payload_hex: toHex(requestPayment.payload),
    ...(acceptPayment === undefined
      ? {}
      : {
          accept_transaction_id: acceptPayment.transactionId,
          accept_payload_hex: toHex(acceptPayment.payload),
        }),
    next_sequence: String(sent.reduce((most, sequence) => Math.max(most, sequence + 1), 0)),
    messages: messages
      .sort((a, b) => byHeight(a, b) || a.sequence - b.sequence)
      .map(describeMessage),
  };
}

function describeMessage({
  transactionId,
  height,
  sent,
  sequence,
  text,
}: Message): MessengerMessage {
  return {
    transaction_id: transactionId,
    ...(height === undefined ? {} : { height: String(height) }),
    direction: sent ? 'sent' : 'received',
    sequence: String(sequence),
    text,
  };
}
