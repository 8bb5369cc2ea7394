/**
 * A peer that claims a height and answers no request at all.
 */
import type { TestEnd } from 'svc-base/testing';
import type { Network } from '../../src/network.ts';
import { SYNC_PROTOCOL } from '../../src/sync/sync-server.ts';
import type { MemoryApplication } from './memory-application.ts';
import { RawPeer, RawStream } from './raw-peer.ts';

const CLAIMED = 1_000_000;

/** `onAsked` is called for each request that it leaves unanswered. */
export async function joinSilentLiar(
  t: TestEnd,
  network: Network,
  application: MemoryApplication,
  onAsked: () => void = () => {},
): Promise<RawPeer> {
  const liar = await RawPeer.create(t);
  await liar.host.handle(SYNC_PROTOCOL, (stream) => void new RawStream(stream, onAsked));
  await liar.join(network, application, CLAIMED);
  return liar;
}
