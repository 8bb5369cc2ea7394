/**
 * `/svc/peers/1`: a peer asks for addresses of others. An answer names peers that this node has spoken to,
 * and stays unproven: an address is proven when the asker has reached the peer there itself.
 */
import type { Connection, Libp2p, Stream } from '@libp2p/interface';
import { type Clock, type Log, messageOf } from 'svc-base/pure';
import { isPublic, originOf } from '../base/addresses.ts';
import { withPatience } from '../base/with-patience.ts';
import { decoded, PeerFault } from '../wire/peer-fault.ts';
import { RequestClient, serveRequests } from '../wire/requests.ts';
import {
  decodePeers,
  encodePeers,
  PEERS_BYTES_MAX,
  PEERS_PER_ANSWER_MAX,
} from './exchange-bytes.ts';
import type { Peer } from './peer.ts';
import type { KnownPeer, PeerBook } from './peer-book.ts';
import type { PeerBudgets } from './peer-budgets.ts';
import type { Peers } from './peers.ts';

export const EXCHANGE_PROTOCOL = '/svc/peers/1';

export interface ExchangeOptions {
  readonly host: Libp2p;
  readonly peers: Peers;
  readonly book: PeerBook;
  readonly budgets: PeerBudgets;
  readonly clock: Clock;
  readonly log: Log;
  readonly allowPrivateAddresses: boolean;
}

const REQUEST = 1;
const PEERS = 2;
const ANSWER_MILLIS_MAX = 10_000;
const PATIENCE = { silenceMillisMax: ANSWER_MILLIS_MAX, answerMillisMax: ANSWER_MILLIS_MAX };
/** Peers that are not connected and were seen longer ago are not passed on. */
const FRESH_MILLIS = 86_400_000;
const BUDGET = {
  bytes: { perSecond: 64, burst: 1_024 },
  messages: { perSecond: 1 / 60, burst: 4 },
};

export class PeerExchange {
  readonly #options: ExchangeOptions;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#options.host.handle(
      EXCHANGE_PROTOCOL,
      (stream, connection) => this.#serve(stream, connection),
      { maxInboundStreams: 1, maxOutboundStreams: 1 },
    );
  }

  async close(): Promise<void> {
    await this.#options.host.unhandle(EXCHANGE_PROTOCOL);
  }

  /** Asks a peer for others; resolves with how many were new. */
  async ask(peer: Peer): Promise<number> {
    const { clock, book, log } = this.#options;
    let added = 0;
    try {
      const stream = await withPatience(clock, ANSWER_MILLIS_MAX, (signal) =>
        peer.connection.newStream(EXCHANGE_PROTOCOL, { signal }),
      );
      const client = new RequestClient(stream, { [PEERS]: PEERS_BYTES_MAX }, clock);
      let hasAnswered = false;
      await client.request(REQUEST, new Uint8Array(0), PATIENCE, (_, payload) => {
        if (hasAnswered) throw new PeerFault('unexpected', 'a second list of peers');
        hasAnswered = true;
        const source = originOf(peer);
        for (const { id, address } of decoded(() => decodePeers(payload)))
          if (id !== this.#options.host.peerId.toString() && book.hear(id, address, source))
            added++;
      });
      client.close();
    } catch (error) {
      if (error instanceof PeerFault) peer.reject(error);
      log.debug({ peer: peer.id, reason: messageOf(error) }, 'peer exchange failed');
    }
    return added;
  }

  #serve(stream: Stream, connection: Connection): void {
    const peer = this.#options.peers.get(connection.remotePeer.toString());
    if (peer?.connection !== connection) {
      stream.abort(new Error('no handshake'));
      return;
    }
    const { clock, budgets } = this.#options;
    serveRequests(stream, {
      limits: { [REQUEST]: 0 },
      clock,
      budget: budgets.requestsOf(peer, EXCHANGE_PROTOCOL, BUDGET),
      onRequest: (_, __, answer) => answer(PEERS, encodePeers(this.#sample(peer.id))),
      onClose: (error) => {
        if (error instanceof PeerFault) peer.reject(error);
      },
    });
  }

  /** A random choice among those that are connected or were reached lately. */
  #sample(askerId: string): KnownPeer[] {
    const { book, clock, peers, allowPrivateAddresses } = this.#options;
    const since = clock.now() - FRESH_MILLIS;
    const fresh = book
      .list()
      .filter(({ id, address }) => {
        return id !== askerId && (allowPrivateAddresses || isPublic(address.host));
      })
      .filter(({ id, isProven, lastSeenMillis }) => {
        return peers.get(id) !== undefined || (isProven && lastSeenMillis >= since);
      });
    return shuffled(fresh).slice(0, PEERS_PER_ANSWER_MAX);
  }
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
