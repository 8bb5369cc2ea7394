/**
 * The two ends of a chat: addresses on one network, and the messenger ids made from them.
 */
import { equalBytes } from '../base/bytes.ts';
import { LABELS } from '../base/labels.ts';
import type { Network } from '../base/networks.ts';
import { NETWORKS } from '../base/networks.ts';
import { SvcError } from '../base/svc-error.ts';
import { hashLabel } from '../kernel/hash-label.ts';
import { addressType, decodeAddress } from '../text/address.ts';
import { CHAT_ID_BYTES } from './limits.ts';

/** Tags the uses of the messenger's one label; `docs/protocol.md` 15.2. */
const TAGS = { id: 0, request: 1, chat: 2 } as const;

/** Who asked for the chat and whom. */
export interface Pair {
  readonly network: Network;
  readonly requester: Uint8Array;
  readonly accepter: Uint8Array;
}

/** The address of a party: one with a single key, since no other one can answer alone. */
export function partyAddress(text: unknown, network: Network, path: string): Uint8Array {
  const bytes = decodeAddress(text, network, path);
  if (addressType(bytes) === 'key') return bytes;
  throw new SvcError('bad_address', 'expected the address of a single key', { path });
}

export function expectTwo(own: Uint8Array, peer: Uint8Array, path: string): void {
  if (!equalBytes(own, peer)) return;
  throw new SvcError('bad_address', 'a chat needs two different addresses', { path });
}

export function messengerIdBytes(network: Network, address: Uint8Array): Uint8Array {
  return hashLabel(LABELS.messenger, Uint8Array.of(TAGS.id, NETWORKS[network].code), address);
}

/** Names a request: the same payload between other parties is another request. */
export function requestId({ network, requester, accepter }: Pair, payload: Uint8Array): Uint8Array {
  const tag = Uint8Array.of(TAGS.request, NETWORKS[network].code);
  return hashLabel(LABELS.messenger, tag, requester, accepter, payload);
}

export function chatIdOf(request: Uint8Array): Uint8Array {
  return request.slice(0, CHAT_ID_BYTES);
}

export function chatTranscript(request: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  return hashLabel(LABELS.messenger, Uint8Array.of(TAGS.chat), request, ciphertext);
}
