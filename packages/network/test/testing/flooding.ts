/**
 * A peer that announces ids of nothing without end.
 */
import { randomBytes } from 'node:crypto';
import type { TestEnd } from 'svc-base/testing';
import { encodeAnnouncement, RELAY } from '../../src/relay/relay-bytes.ts';
import type { RawStream } from './raw-peer.ts';

export interface Flood {
  /** How many ids it has sent. */
  readonly announced: number;
}

/** About 64 kB of ids of nothing a second on a stream of the relay, from now on until the test ends. */
export function flood(t: TestEnd, stream: RawStream): Flood {
  const sent = { announced: 0 };
  const send = (transactions: number, blocks: number): void => {
    sent.announced += transactions + blocks;
    const ids = { transactions: randomIds(transactions), blocks: randomIds(blocks) };
    stream.send(RELAY.announce, encodeAnnouncement(ids));
  };
  for (let i = 0; i < 20; i++) send(512, 64);
  const timer = setInterval(() => send(120, 13), 100);
  t.after(() => clearInterval(timer));
  return sent;
}

export function randomIds(count: number): string[] {
  return Array.from({ length: count }, () => randomBytes(48).toString('hex'));
}
