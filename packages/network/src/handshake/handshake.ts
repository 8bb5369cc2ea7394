/**
 * `/svc/handshake/1`: the dialling peer says hello first. A peer of another chain gets that answer and is
 * disconnected; a peer on a newer protocol or other rules is a hint that an update is due.
 */
import type { Connection, Libp2p, Stream } from '@libp2p/interface';
import { afterRunning, type Clock, type Log, messageOf, Signal } from 'svc-base/pure';
import type { NetworkApplication } from '../application.ts';
import { withPatience } from '../base/with-patience.ts';

import { socketAddressOf } from '../host/multiaddresses.ts';
import { Peer } from '../peers/peer.ts';
import type { PeerBook } from '../peers/peer-book.ts';
import type { Peers } from '../peers/peers.ts';
import { FrameChannel } from '../wire/frame-channel.ts';
import { decoded, PeerFault } from '../wire/peer-fault.ts';
import {
  decodeGoodbye,
  decodeHello,
  encodeGoodbye,
  encodeHello,
  type GoodbyeReason,
  HELLO_BYTES_MAX,
  type Hello,
} from './hello-bytes.ts';

export const HANDSHAKE_PROTOCOL = '/svc/handshake/1';

export interface UpdateAnnouncement {
  readonly peerId: string;
  readonly agent: string;
  readonly protocolVersion: number;
  readonly rulesId: string;
}

/** A connection that ended in the handshake. */
export interface Refusal {
  readonly peerId: string;
  readonly reason: string;
}

export interface HandshakeOptions {
  readonly host: Libp2p;
  readonly application: NetworkApplication;
  readonly peers: Peers;
  readonly book: PeerBook;
  readonly clock: Clock;
  readonly log: Log;
  readonly agent: string;
  readonly listeningPort: () => number;
  /** Whether others may need the slot of a connection that says no hello. */
  readonly isCrowded: () => boolean;
}

const HELLO = 1;
const GOODBYE = 2;
const FRAME_LIMITS = { [HELLO]: HELLO_BYTES_MAX, [GOODBYE]: 1 };
/** Time for the hello, counted while this process runs. */
const HELLO_MILLIS = 5_000;
/** Time for slow peers while no other connection needs the slot. */
const HELLO_MILLIS_MAX = 60_000;
const CROWD_LOOK_MILLIS = 1_000;
/** Time for a goodbye to arrive before the connection goes. */
const GOODBYE_MILLIS = 250;

export class Handshake {
  readonly updateAnnounced = new Signal<UpdateAnnouncement>();
  readonly refused = new Signal<Refusal>();
  readonly #options: HandshakeOptions;
  /** Cancels the wait for the hello of an inbound connection. */
  readonly #awaited = new Map<Connection, () => void>();
  readonly #onOpen = ({ detail }: CustomEvent<Connection>): void => this.#opened(detail);

  constructor(options: HandshakeOptions) {
    this.#options = options;
  }

  /** How many connections that others opened have yet to say hello. */
  get awaited(): number {
    return this.#awaited.size;
  }

  async start(): Promise<void> {
    const { host } = this.#options;
    await host.handle(
      HANDSHAKE_PROTOCOL,
      (stream, connection) => this.#answer(stream, connection),
      {
        maxInboundStreams: 1,
        maxOutboundStreams: 1,
      },
    );
    host.addEventListener('connection:open', this.#onOpen);
  }

  async close(): Promise<void> {
    const { host } = this.#options;
    host.removeEventListener('connection:open', this.#onOpen);
    await host.unhandle(HANDSHAKE_PROTOCOL);
  }

  #opened(connection: Connection): void {
    if (connection.limits !== undefined || connection.status !== 'open') return;
    if (connection.direction === 'outbound') {
      this.#greet(connection).catch((error: unknown) => this.#refuse(connection, messageOf(error)));
      return;
    }
    const isAdmitted = (): boolean =>
      this.#options.peers.get(connection.remotePeer.toString())?.connection === connection;
    if (isAdmitted()) return;
    const cancel = this.#whenLate(() => {
      this.#awaited.delete(connection);
      if (!isAdmitted()) this.#refuse(connection, 'said no hello');
    });
    this.#awaited.set(connection, cancel);
    connection.addEventListener('close', () => this.#stopAwaiting(connection), { once: true });
  }

  #stopAwaiting(connection: Connection): void {
    this.#awaited.get(connection)?.();
    this.#awaited.delete(connection);
  }

  async #greet(connection: Connection): Promise<void> {
    const stream = await withPatience(this.#options.clock, HELLO_MILLIS_MAX, (signal) =>
      connection.newStream(HANDSHAKE_PROTOCOL, { signal }),
    );
    this.#converse(stream, connection, (channel, kind, payload) => {
      channel.close();
      this.#hear(connection, kind, payload);
    }).send(HELLO, this.#ownHello());
  }

  #answer(stream: Stream, connection: Connection): void {
    this.#converse(stream, connection, (channel, kind, payload) => {
      const goodbye = this.#hear(connection, kind, payload, channel);
      if (goodbye !== undefined) channel.send(GOODBYE, encodeGoodbye(goodbye));
      channel.close();
    });
  }

  #converse(
    stream: Stream,
    connection: Connection,
    onFrame: (channel: FrameChannel, kind: number, payload: Uint8Array) => void,
  ): FrameChannel {
    const { clock } = this.#options;
    const channel: FrameChannel = new FrameChannel(stream, {
      limits: FRAME_LIMITS,
      clock,
      onFrame: (kind, payload) => onFrame(channel, kind, payload),
      onClose: (error) => {
        cancel();
        if (error !== undefined) this.#refuse(connection, messageOf(error));
      },
    });
    const cancel = this.#whenLate(() => channel.abort(new Error('no hello came in time')));
    return channel;
  }

  /** Calls when a hello is late. Returns a function that cancels the call. */
  #whenLate(call: () => void): () => void {
    const { clock, isCrowded } = this.#options;
    const endsAtMillis = clock.monotonic() + HELLO_MILLIS_MAX;
    const look = (afterMillis: number): (() => void) =>
      afterRunning(clock, afterMillis, () => {
        if (isCrowded() || clock.monotonic() >= endsAtMillis) call();
        else cancel = look(CROWD_LOOK_MILLIS);
      });
    let cancel = look(HELLO_MILLIS);
    return () => cancel();
  }

  /**
   * Admits the peer or returns why not. `reply` is the channel on which this side still has to send its
   * hello.
   */
  #hear(
    connection: Connection,
    kind: number,
    payload: Uint8Array,
    reply?: FrameChannel,
  ): GoodbyeReason | undefined {
    if (kind === GOODBYE) {
      if (reply !== undefined) throw new PeerFault('unexpected', 'a goodbye before any hello');
      this.#refuse(
        connection,
        decoded(() => decodeGoodbye(payload)),
      );
      return undefined;
    }
    const hello = decoded(() => decodeHello(payload));
    if (hello.identity.chainId !== this.#options.application.identity.chainId) {
      this.#refuse(connection, 'other_chain');
      return 'other_chain';
    }
    this.#compareRules(connection, hello);
    reply?.send(HELLO, this.#ownHello());
    if (!this.#admit(connection, hello)) {
      this.#refuse(connection, 'duplicate');
      return 'duplicate';
    }
    return undefined;
  }

  #compareRules(connection: Connection, hello: Hello): void {
    const { protocolVersion, rulesId } = hello.identity;
    const own = this.#options.application.identity;
    const isSame = protocolVersion === own.protocolVersion && rulesId === own.rulesId;
    if (isSame || protocolVersion < own.protocolVersion) return;
    const { agent } = hello;
    const peerId = connection.remotePeer.toString();
    this.#options.log.warn(
      { peer: peerId, agent, protocolVersion, rulesId },
      'update_announced: a peer follows other rules than this release',
    );
    this.updateAnnounced.emit({ peerId, agent, protocolVersion, rulesId });
  }

  #admit(connection: Connection, hello: Hello): boolean {
    const { peers, book, clock } = this.#options;
    const remote = socketAddressOf(connection.remoteAddr);
    const isOutbound = connection.direction === 'outbound';
    const port = isOutbound ? remote?.port : hello.listeningPort;
    const peerId = connection.remotePeer.toString();
    if (remote !== undefined && port !== undefined && port !== 0)
      book.seen(peerId, { host: remote.host, port }, isOutbound);
    const joined = { atMillis: clock.monotonic(), score: book.scoreOf(peerId) };
    const isAdmitted = peers.admit(
      new Peer(connection, hello, remote, joined, {
        onFault: (peer, fault) => peers.faulted(peer, fault),
      }),
    );
    if (isAdmitted) this.#stopAwaiting(connection);
    return isAdmitted;
  }

  #refuse(connection: Connection, reason: string): void {
    const peerId = connection.remotePeer.toString();
    this.#options.log.debug({ peer: peerId, reason }, 'handshake refused');
    this.refused.emit({ peerId, reason });
    this.#options.clock.after(GOODBYE_MILLIS, () => {
      if (this.#options.peers.get(peerId)?.connection === connection) return;
      if (connection.status === 'open') connection.abort(new Error(reason));
    });
  }

  #ownHello(): Uint8Array {
    const { application, agent, listeningPort } = this.#options;
    const { identity, tip, holdings } = application;
    return encodeHello({ identity, tip, holdings, listeningPort: listeningPort(), agent });
  }
}
