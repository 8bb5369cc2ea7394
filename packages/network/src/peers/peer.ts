/**
 * A peer that shook hands: its identity, its claims, its behaviour.
 */
import type { Connection } from '@libp2p/interface';
import type { SocketAddress } from '../base/addresses.ts';
import type { Hello } from '../handshake/hello-bytes.ts';
import type { PeerFault } from '../wire/peer-fault.ts';

export interface PeerEvents {
  /** A fault of the peer, after its score was lowered. */
  readonly onFault: (peer: Peer, fault: PeerFault) => void;
}

const SCORE_MAX = 100;
const CLOSE_MILLIS_MAX = 2_000;

export class Peer {
  readonly id: string;
  readonly connection: Connection;
  readonly hello: Hello;
  readonly address: SocketAddress | undefined;
  readonly joinedAtMillis: number;
  readonly #events: PeerEvents;
  #score: number;
  #usefulness = 0;
  #claimedHeight: number;

  constructor(
    connection: Connection,
    hello: Hello,
    address: SocketAddress | undefined,
    joined: { readonly atMillis: number; readonly score: number },
    events: PeerEvents,
  ) {
    this.id = connection.remotePeer.toString();
    this.connection = connection;
    this.hello = hello;
    this.address = address;
    this.joinedAtMillis = joined.atMillis;
    this.#score = joined.score;
    this.#claimedHeight = hello.tip.height;
    this.#events = events;
  }

  get direction(): 'inbound' | 'outbound' {
    return this.connection.direction;
  }

  get score(): number {
    return this.#score;
  }

  /** What it was rewarded for since it joined. */
  get usefulness(): number {
    return this.#usefulness;
  }

  /** The height it claims; not believed before a certificate shows it. */
  get claimedHeight(): number {
    return this.#claimedHeight;
  }

  claimHeight(height: number): void {
    this.#claimedHeight = height;
  }

  get isConnected(): boolean {
    return this.connection.status === 'open';
  }

  /** Lowers the score of the peer for a fault. */
  reject(fault: PeerFault): void {
    this.#score -= fault.points;
    this.#events.onFault(this, fault);
  }

  /** Raises the score: the peer was the first to deliver something wanted. */
  reward(points: number): void {
    this.#usefulness += points;
    this.#score = Math.min(SCORE_MAX, this.#score + points);
  }

  disconnect(): void {
    if (this.connection.status !== 'open') return;
    const signal = AbortSignal.timeout(CLOSE_MILLIS_MAX);
    this.connection.close({ signal }).catch((error: Error) => this.connection.abort(error));
  }
}
