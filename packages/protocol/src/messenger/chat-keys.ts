/**
 * The secrets of a chat. Both sides derive them anew from their own messenger secret and the messages on the chain,
 * so nothing has to be stored: the requester's key pair from its secret and the request's nonce, the accepter's
 * encapsulation from its secret and the request.
 */
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { ml_kem768 } from '@noble/post-quantum/ml-kem.js';
import { concatBytes, equalBytes, wipe } from '../base/bytes.ts';
import { NETWORKS } from '../base/networks.ts';
import { SvcError } from '../base/svc-error.ts';
import { encodeUtf8 } from '../base/utf8.ts';
import { CONFIRMATION_BYTES } from './limits.ts';
import type { Pair } from './party.ts';
import { chatTranscript, messengerIdBytes } from './party.ts';
import type { AcceptPayload, Direction, RequestPayload } from './payload.ts';
import { DIRECTIONS } from './payload.ts';

const KEY_BYTES = 32;
const KEM_SEED_BYTES = 64;
const KEM_RANDOM_BYTES = 32;
const INFO = {
  request: encodeUtf8('svc/messenger/request/v1'),
  accept: encodeUtf8('svc/messenger/accept/v1'),
  chat: encodeUtf8('svc/messenger/chat/v1'),
} as const;

export interface RequestKeys {
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
}

/** Keys of one chat. Their holder calls `wipeChatKeys`. */
export interface ChatKeys {
  readonly fromRequester: Uint8Array;
  readonly fromAccepter: Uint8Array;
  readonly confirmation: Uint8Array;
}

export interface Encapsulation {
  readonly ciphertext: Uint8Array;
  readonly keys: ChatKeys;
}

export function requestKeys(secret: Uint8Array, pair: Pair, nonce: Uint8Array): RequestKeys {
  const code = Uint8Array.of(NETWORKS[pair.network].code);
  const info = concatBytes(INFO.request, code, pair.requester, pair.accepter);
  const seed = hkdf(sha512, secret, nonce, info, KEM_SEED_BYTES);
  const keys = ml_kem768.keygen(seed);
  wipe(seed);
  return keys;
}

/** Makes the accepter's answer to a request; the same every time it is made. */
export function encapsulate(
  secret: Uint8Array,
  pair: Pair,
  request: RequestPayload,
  id: Uint8Array,
): Encapsulation {
  const random = hkdf(sha512, secret, id, INFO.accept, KEM_RANDOM_BYTES);
  try {
    const { cipherText, sharedSecret } = ml_kem768.encapsulate(request.publicKey, random);
    return { ciphertext: cipherText, keys: chatKeys(pair, id, cipherText, sharedSecret) };
  } catch (cause) {
    if (cause instanceof SvcError) throw cause;
    throw new SvcError('bad_payload', 'the public key of the request is malformed', {
      path: 'payload',
      cause,
    });
  } finally {
    wipe(random);
  }
}

/** The keys on the requester's side. Returns undefined if the answer was not made for this request. */
export function decapsulate(
  keys: RequestKeys,
  pair: Pair,
  id: Uint8Array,
  accept: AcceptPayload,
): ChatKeys | undefined {
  const shared = ml_kem768.decapsulate(accept.ciphertext, keys.secretKey);
  const derived = chatKeys(pair, id, accept.ciphertext, shared);
  if (equalBytes(derived.confirmation, accept.confirmation)) return derived;
  wipeChatKeys(derived);
  return undefined;
}

export function directionKey(keys: ChatKeys, direction: Direction): Uint8Array {
  return direction === DIRECTIONS.fromRequester ? keys.fromRequester : keys.fromAccepter;
}

export function wipeChatKeys(keys: ChatKeys): void {
  wipe(keys.fromRequester, keys.fromAccepter, keys.confirmation);
}

function chatKeys(
  pair: Pair,
  id: Uint8Array,
  ciphertext: Uint8Array,
  shared: Uint8Array,
): ChatKeys {
  const requesterId = messengerIdBytes(pair.network, pair.requester);
  const accepterId = messengerIdBytes(pair.network, pair.accepter);
  const info = concatBytes(INFO.chat, requesterId, accepterId);
  const transcript = chatTranscript(id, ciphertext);
  const bytes = hkdf(sha512, shared, transcript, info, 2 * KEY_BYTES + CONFIRMATION_BYTES);
  const keys = {
    fromRequester: bytes.slice(0, KEY_BYTES),
    fromAccepter: bytes.slice(KEY_BYTES, 2 * KEY_BYTES),
    confirmation: bytes.slice(2 * KEY_BYTES),
  };
  wipe(bytes, shared);
  return keys;
}
