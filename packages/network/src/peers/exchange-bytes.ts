/**
 * Addresses of peers as bytes: `varint n ≤ 32; each Ed25519 public key bytes[32] | family u8 (4, 6) | address
 * bytes[4] or bytes[16] | port u16`.
 */
import { publicKeyFromRaw } from '@libp2p/crypto/keys';
import { peerIdFromPublicKey, peerIdFromString } from '@libp2p/peer-id';
import { Reader, SvcError, Writer } from 'svc-wasm/base';
import { hostBytes, hostFromBytes, type SocketAddress } from '../base/addresses.ts';

export interface HeardPeer {
  readonly id: string;
  readonly address: SocketAddress;
}

export const PEERS_PER_ANSWER_MAX = 32;
const KEY_BYTES = 32;
export const PEERS_BYTES_MAX: number = 1 + PEERS_PER_ANSWER_MAX * (KEY_BYTES + 1 + 16 + 2);

export function encodePeers(peers: readonly HeardPeer[]): Uint8Array {
  const writer = new Writer(PEERS_BYTES_MAX).varint(peers.length);
  for (const { id, address } of peers) {
    const host = hostBytes(address.host);
    writer
      .raw(keyOf(id))
      .u8(host.length === 4 ? 4 : 6)
      .raw(host)
      .u16(address.port);
  }
  return writer.finish();
}

export function decodePeers(bytes: Uint8Array, path = 'peers'): HeardPeer[] {
  const reader = new Reader(bytes, path);
  const count = reader.varint();
  if (count > PEERS_PER_ANSWER_MAX) {
    const message = `expected at most ${PEERS_PER_ANSWER_MAX} peers, found ${count}`;
    throw new SvcError('out_of_range', message, { path });
  }
  const peers = Array.from({ length: count }, () => {
    const key = reader.raw(KEY_BYTES);
    const family = reader.u8();
    if (family !== 4 && family !== 6) {
      throw new SvcError('out_of_range', `expected family 4 or 6, found ${family}`, { path });
    }
    const host = hostFromBytes(reader.raw(family === 4 ? 4 : 16));
    if (family === 6 && !host.includes(':')) {
      throw new SvcError('not_canonical', `${host} is an IPv4 address`, { path });
    }
    const id = peerIdFromPublicKey(publicKeyFromRaw(key)).toString();
    return { id, address: { host, port: reader.u16() } };
  });
  reader.end();
  return peers;
}

function keyOf(id: string): Uint8Array {
  const peer = peerIdFromString(id);
  if (peer.type !== 'Ed25519') throw new RangeError(`expected an Ed25519 peer id, found ${id}`);
  return peer.publicKey.raw;
}
