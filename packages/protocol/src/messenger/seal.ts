/**
 * One message sealed and opened: XChaCha20-Poly1305 under the key of its direction, with the head of
 * the payload and both addresses authenticated.
 */
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { concatBytes, wipe } from '../base/bytes.ts';
import { NETWORKS } from '../base/networks.ts';
import { SvcError } from '../base/svc-error.ts';
import type { ChatKeys } from './chat-keys.ts';
import { directionKey } from './chat-keys.ts';
import { padText, unpadText } from './padding.ts';
import type { Pair } from './party.ts';
import type { MessageHead, MessagePayload } from './payload.ts';
import { DIRECTIONS, encodeMessageHead } from './payload.ts';

export function sealMessage(
  keys: ChatKeys,
  pair: Pair,
  head: MessageHead,
  text: string,
): Uint8Array {
  const block = padText(text, 'text');
  const bytes = encodeMessageHead(head);
  const key = directionKey(keys, head.direction);
  const sealed = xchacha20poly1305(key, head.nonce, associated(pair, head, bytes)).encrypt(block);
  wipe(block);
  return concatBytes(bytes, sealed);
}

export function openMessage(keys: ChatKeys, pair: Pair, message: MessagePayload): string {
  const key = directionKey(keys, message.direction);
  const data = associated(pair, message, encodeMessageHead(message));
  const block = decrypt(xchacha20poly1305(key, message.nonce, data), message.sealed);
  const text = unpadText(block, 'payload');
  wipe(block);
  return text;
}

function associated(pair: Pair, { direction }: MessageHead, head: Uint8Array): Uint8Array {
  const { network, requester, accepter } = pair;
  const code = Uint8Array.of(NETWORKS[network].code);
  const [sender, recipient] =
    direction === DIRECTIONS.fromRequester ? [requester, accepter] : [accepter, requester];
  return concatBytes(head, code, sender, recipient);
}

function decrypt(
  cipher: { decrypt(bytes: Uint8Array): Uint8Array },
  sealed: Uint8Array,
): Uint8Array {
  try {
    return cipher.decrypt(sealed);
  } catch (cause) {
    throw new SvcError('bad_payload', 'the message was changed or is of another chat', {
      path: 'payload',
      cause,
    });
  }
}
