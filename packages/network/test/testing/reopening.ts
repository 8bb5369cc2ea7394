/**
 * A peer that asks for something on one stream after another.
 */
import { until } from 'svc-base/testing';
import type { Network } from '../../src/network.ts';
import { EXCHANGE_PROTOCOL } from '../../src/peers/exchange.ts';
import type { RawPeer } from './raw-peer.ts';

const NOTHING = new Uint8Array(0);
const REQUESTS_PER_STREAM = 4;

/** Asks for addresses on so many streams, each with a few requests; how many answers came. */
export async function askOnNewStreams(
  raw: RawPeer,
  network: Network,
  streams: number,
): Promise<number> {
  let answers = 0;
  for (let i = 0; i < streams; i++) {
    const stream = await raw.open(EXCHANGE_PROTOCOL, ({ kind }) => {
      if (kind === 2) answers++;
    });
    for (let request = 0; request < REQUESTS_PER_STREAM; request++) stream.send(1, NOTHING);
    // The node has answered, or has read the requests and makes the peer wait.
    const sentBefore = network.traffic.receivedBytes;
    await stream.stream.close().catch(() => {});
    await until(() => network.traffic.receivedBytes > sentBefore, 'the end of the stream');
    stream.stream.abort(new Error('again'));
  }
  return answers;
}
