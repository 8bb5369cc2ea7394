/**
 * Makes the payloads that a party sends: a request, the answer to one, a message. Each travels as
 * the payload of a payment of one atom from `sender_address` to `recipient_address`.
 */
import { equalBytes, toHex, wipe } from '../base/bytes.ts';
import { Fields } from '../base/fields.ts';
import type { Network } from '../base/networks.ts';
import { expectNetwork } from '../base/networks.ts';
import { randomBytes } from '../base/random.ts';
import { SvcError } from '../base/svc-error.ts';
import { encodeAddress } from '../text/address.ts';
import type { ChatKeys } from './chat-keys.ts';
import { decapsulate, encapsulate, requestKeys, wipeChatKeys } from './chat-keys.ts';
import type { MessengerPayment } from './documents.ts';
import { CIPHER_NONCE_BYTES, NONCE_BYTES, PAYMENT_ATOMS, SEQUENCE_MAX } from './limits.ts';
import type { Pair } from './party.ts';
import { chatIdOf, expectTwo, partyAddress, requestId } from './party.ts';
import type { AcceptPayload, Direction, RequestPayload } from './payload.ts';
import { DIRECTIONS, decodeMessengerPayload, encodeAccept, encodeRequest } from './payload.ts';
import { sealMessage } from './seal.ts';

const PARTIES = ['network', 'sender_address', 'recipient_address'];

interface Parties {
  readonly network: Network;
  readonly sender: Uint8Array;
  readonly recipient: Uint8Array;
}

/** Asks for a chat. Takes `{network, sender_address, recipient_address}`. */
export function composeRequest(secret: Uint8Array, requestJson: string): string {
  const parties = readParties(Fields.parse(requestJson, 'request', PARTIES));
  const pair = pairOf(parties, DIRECTIONS.fromRequester);
  const nonce = randomBytes(NONCE_BYTES);
  const { publicKey, secretKey } = requestKeys(secret, pair, nonce);
  wipe(secretKey);
  const payload = encodeRequest(nonce, publicKey);
  return describe(parties, requestId(pair, payload), payload);
}

/** Answers a request. Takes the parties, the sender being oneself, and `request_payload_hex`. */
export function composeAccept(secret: Uint8Array, requestJson: string): string {
  const fields = Fields.parse(requestJson, 'request', [...PARTIES, 'request_payload_hex']);
  const parties = readParties(fields);
  const pair = pairOf(parties, DIRECTIONS.fromAccepter);
  const { payload, decoded } = readRequestPayload(fields);
  const id = requestId(pair, payload);
  const { ciphertext, keys } = encapsulate(secret, pair, decoded, id);
  const accept = encodeAccept(chatIdOf(id), ciphertext, keys.confirmation);
  wipeChatKeys(keys);
  return describe(parties, id, accept);
}

/**
 * Writes a message. Takes the parties, the sender being oneself, `request_payload_hex` and
 * `accept_payload_hex` of the chat, `sequence` and `text`.
 */
export function composeMessage(secret: Uint8Array, requestJson: string): string {
  const names = [...PARTIES, 'request_payload_hex', 'accept_payload_hex', 'sequence', 'text'];
  const fields = Fields.parse(requestJson, 'request', names);
  const parties = readParties(fields);
  const { payload, decoded } = readRequestPayload(fields);
  const accept = readAcceptPayload(fields);
  const sequence = Number(fields.decimal('sequence', { max: BigInt(SEQUENCE_MAX) }));
  const text = fields.string('text');
  const found =
    asRequester(secret, parties, payload, decoded, accept) ??
    asAccepter(secret, parties, payload, decoded, accept);
  if (found === undefined) {
    throw new SvcError('wrong_party', 'this wallet root has no part in the chat', {
      path: 'request',
    });
  }
  const { pair, id, keys, direction } = found;
  const head = {
    chatId: chatIdOf(id),
    direction,
    sequence,
    nonce: randomBytes(CIPHER_NONCE_BYTES),
  };
  try {
    return describe(parties, id, sealMessage(keys, pair, head, text));
  } finally {
    wipeChatKeys(keys);
  }
}

interface Joined {
  readonly pair: Pair;
  readonly id: Uint8Array;
  readonly keys: ChatKeys;
  readonly direction: Direction;
}

function asRequester(
  secret: Uint8Array,
  parties: Parties,
  payload: Uint8Array,
  request: RequestPayload,
  accept: AcceptPayload,
): Joined | undefined {
  const direction = DIRECTIONS.fromRequester;
  const pair = pairOf(parties, direction);
  const id = requestId(pair, payload);
  const own = requestKeys(secret, pair, request.nonce);
  const isOwn = equalBytes(own.publicKey, request.publicKey);
  const isAnswer = equalBytes(accept.chatId, chatIdOf(id));
  const keys = isOwn && isAnswer ? decapsulate(own, pair, id, accept) : undefined;
  wipe(own.secretKey);
  return keys === undefined ? undefined : { pair, id, keys, direction };
}

function asAccepter(
  secret: Uint8Array,
  parties: Parties,
  payload: Uint8Array,
  request: RequestPayload,
  accept: AcceptPayload,
): Joined | undefined {
  const direction = DIRECTIONS.fromAccepter;
  const pair = pairOf(parties, direction);
  const id = requestId(pair, payload);
  const { ciphertext, keys } = encapsulate(secret, pair, request, id);
  const own = encodeAccept(chatIdOf(id), ciphertext, keys.confirmation);
  const given = encodeAccept(accept.chatId, accept.ciphertext, accept.confirmation);
  if (equalBytes(own, given)) return { pair, id, keys, direction };
  wipeChatKeys(keys);
  return undefined;
}

function readParties(fields: Fields): Parties {
  const network = expectNetwork(fields.value('network'), fields.at('network'));
  const read = (name: string): Uint8Array =>
    partyAddress(fields.value(name), network, fields.at(name));
  const sender = read('sender_address');
  const recipient = read('recipient_address');
  expectTwo(sender, recipient, fields.at('recipient_address'));
  return { network, sender, recipient };
}

function pairOf({ network, sender, recipient }: Parties, direction: Direction): Pair {
  return direction === DIRECTIONS.fromRequester
    ? { network, requester: sender, accepter: recipient }
    : { network, requester: recipient, accepter: sender };
}

function readRequestPayload(fields: Fields): { payload: Uint8Array; decoded: RequestPayload } {
  const payload = fields.hex('request_payload_hex');
  const decoded = decodeMessengerPayload(payload);
  if (decoded.kind === 'request') return { payload, decoded };
  throw new SvcError('bad_payload', `expected a request, found ${decoded.kind}`, {
    path: fields.at('request_payload_hex'),
  });
}

function readAcceptPayload(fields: Fields): AcceptPayload {
  const decoded = decodeMessengerPayload(fields.hex('accept_payload_hex'));
  if (decoded.kind === 'accept') return decoded;
  throw new SvcError('bad_payload', `expected an answer to a request, found ${decoded.kind}`, {
    path: fields.at('accept_payload_hex'),
  });
}

function describe(parties: Parties, id: Uint8Array, payload: Uint8Array): string {
  const { network, sender, recipient } = parties;
  return JSON.stringify({
    chat_id: toHex(chatIdOf(id)),
    sender_address: encodeAddress(sender, network),
    recipient_address: encodeAddress(recipient, network),
    amount: String(PAYMENT_ATOMS),
    payload_hex: toHex(payload),
  } satisfies MessengerPayment);
}
