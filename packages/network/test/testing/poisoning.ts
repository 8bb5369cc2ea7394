/**
 * Peers that never existed, and a peer that reports them.
 */
import { randomBytes } from 'node:crypto';
import { publicKeyFromRaw } from '@libp2p/crypto/keys';
import { peerIdFromPublicKey } from '@libp2p/peer-id';
import type { TestEnd } from 'svc-base/testing';
import { EXCHANGE_PROTOCOL } from '../../src/peers/exchange.ts';
import { encodePeers, PEERS_PER_ANSWER_MAX } from '../../src/peers/exchange-bytes.ts';
import { RawPeer, RawStream } from './raw-peer.ts';

export function inventedId(): string {
  return peerIdFromPublicKey(publicKeyFromRaw(new Uint8Array(randomBytes(32)))).toString();
}

/** An address of this machine without a listener: a dial fails at once. */
export function deadAddress(): { readonly host: string; readonly port: number } {
  const [a, b] = randomBytes(2) as unknown as [number, number];
  return { host: `127.${8 + (a % 200)}.${b}.1`, port: 9 };
}

/** Answers each time that it is asked for peers with so many lists of invented ones. */
export async function createPoisoner(
  t: TestEnd,
  listsPerAnswer: number,
): Promise<{ readonly peer: RawPeer; readonly told: Set<string> }> {
  const told = new Set<string>();
  const list = (): Uint8Array => {
    const invented = Array.from({ length: PEERS_PER_ANSWER_MAX }, () => {
      return { id: inventedId(), address: deadAddress() };
    });
    for (const { id } of invented) told.add(id);
    return encodePeers(invented);
  };
  const peer = await RawPeer.create(t);
  await peer.host.handle(EXCHANGE_PROTOCOL, (stream) => {
    const answers = new RawStream(stream, () => {
      for (let i = 0; i < listsPerAnswer; i++) answers.send(2, list());
      answers.send(0, new Uint8Array(0));
      // Else the node could not ask it again: it opens one such stream at a time.
      stream.close().catch(() => {});
    });
  });
  return { peer, told };
}
