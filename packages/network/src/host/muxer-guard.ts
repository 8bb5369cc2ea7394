/**
 * Watches the muxer of every connection. A frame costs its sender twelve bytes and this node a turn of its muxer,
 * some of them an answer too, and the library counts none of them: any encrypted peer could keep the node busy
 * silently. A peer that sends more than any honest node is disconnected and penalised; connections of an origin that
 * together send too much are closed.
 */
import type {
  ConnectionEncrypter,
  MessageStream,
  SecuredConnection,
  StreamMuxer,
  StreamMuxerFactory,
} from '@libp2p/interface';
import { isMultiaddr } from '@multiformats/multiaddr';
import { type Clock, messageOf } from 'svc-base/pure';
import { originOf, type SocketAddress } from '../base/addresses.ts';
import { Remembered } from '../base/remembered.ts';
import { socketAddressOf } from './multiaddresses.ts';
import { FRAME_TYPES, type FrameHead, MuxerFrames, OPENS } from './muxer-frames.ts';
import { type FrameKind, MuxerUse } from './muxer-use.ts';

/** The peer at the other end of a connection. */
export interface Remote {
  readonly id: string;
  readonly address: SocketAddress | undefined;
}

export interface MuxerGuardOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Connections that one origin may have at a time. */
  readonly perOriginMax: number;
  /** Called when one connection alone sent what no honest node sends. */
  readonly onExcess: (remote: Remote, reason: string) => void;
  /** The most data that a frame may have. */
  readonly dataBytesMax: number;
  /** Bytes in the output queue of one connection. */
  readonly waitingBytesMax: number;
}

/** The most origins whose use is remembered. */
const ORIGINS_MAX = 8_192;

type Factory<Components, Made> = (components: Components) => Made;

/** Members of the library's muxer that its interface lacks. */
interface ReadingMuxer {
  onData: (data: Uint8Array | Iterable<Uint8Array>) => void;
}

export class MuxerGuard {
  readonly #options: MuxerGuardOptions;
  readonly #remotes = new WeakMap<MessageStream, Remote>();
  readonly #uses = new Remembered<MuxerUse>(ORIGINS_MAX);

  constructor(options: MuxerGuardOptions) {
    this.#options = options;
  }

  /** An encrypter that reports the peer at the other end to this guard. */
  encrypter<Components>(
    create: Factory<Components, ConnectionEncrypter>,
  ): Factory<Components, ConnectionEncrypter> {
    return (components) => {
      const encrypter = create(components);
      const secureInbound = encrypter.secureInbound.bind(encrypter);
      const secureOutbound = encrypter.secureOutbound.bind(encrypter);
      encrypter.secureInbound = async (connection, options) =>
        this.#met(connection, await secureInbound(connection, options));
      encrypter.secureOutbound = async (connection, options) =>
        this.#met(connection, await secureOutbound(connection, options));
      return encrypter;
    };
  }

  /** A muxer whose frames are counted. */
  muxer<Components>(
    create: Factory<Components, StreamMuxerFactory>,
  ): Factory<Components, StreamMuxerFactory> {
    return (components) => {
      const factory = create(components);
      const createStreamMuxer = factory.createStreamMuxer.bind(factory);
      factory.createStreamMuxer = (connection) => {
        const muxer = createStreamMuxer(connection);
        connection.maxWriteBufferLength = this.#options.waitingBytesMax;
        this.#watch(muxer, this.#remotes.get(connection));
        return muxer;
      };
      return factory;
    };
  }

  #met(plain: MessageStream, secured: SecuredConnection): SecuredConnection {
    const address = 'remoteAddr' in plain ? addressOf(plain.remoteAddr) : undefined;
    this.#remotes.set(secured.connection, { id: secured.remotePeer.toString(), address });
    return secured;
  }

  #watch(muxer: StreamMuxer, remote: Remote | undefined): void {
    if (!isReading(muxer) || remote === undefined)
      throw new Error('a muxer whose frames cannot be counted');
    const { clock } = this.#options;
    const frames = new MuxerFrames();
    const count = this.#counter(remote);
    const onData = muxer.onData.bind(muxer);
    muxer.onData = (data) => {
      const now = clock.monotonic();
      const onHead = (head: FrameHead): void => this.#judge(head, (kind) => count(kind, now));
      try {
        for (const piece of data instanceof Uint8Array ? [data] : data) {
          count('frames', now);
          frames.read(piece, onHead);
        }
      } catch (error) {
        if (!(error instanceof SharedExcess)) this.#options.onExcess(remote, messageOf(error));
        throw error;
      }
      onData(data);
    };
  }

  #counter(remote: Remote): (kind: FrameKind, nowMillis: number) => void {
    const { clock, perOriginMax } = this.#options;
    const own = new MuxerUse(1, clock.monotonic());
    const shared = this.#uses.getOrCreate(
      originOf(remote),
      () => new MuxerUse(perOriginMax, clock.monotonic()),
    );
    return (kind, nowMillis) => {
      if (!own.count(kind, nowMillis)) throw new Error(`too many ${kind} of the muxer`);
      if (!shared.count(kind, nowMillis)) throw new SharedExcess(`too many ${kind} of an origin`);
    };
  }

  #judge({ type, flags, length }: FrameHead, count: (kind: FrameKind) => void): void {
    count('frames');
    if (type === FRAME_TYPES.ping) count('pings');
    else if ((flags & OPENS) !== 0) count('streams');
    if (type === FRAME_TYPES.data && length > this.#options.dataBytesMax)
      throw new Error(`a frame of ${length} bytes`);
  }
}

/** Several connections sent too much together: no single one is to blame. */
class SharedExcess extends Error {
  override readonly name = 'SharedExcess';
}

/** None for a connection over a relay, whose address is that of the relay. */
function addressOf(address: unknown): SocketAddress | undefined {
  if (!isMultiaddr(address)) return undefined;
  const isRelayed = address.getComponents().some(({ name }) => name === 'p2p-circuit');
  return isRelayed ? undefined : socketAddressOf(address);
}

function isReading(muxer: object): muxer is ReadingMuxer {
  return 'onData' in muxer && typeof muxer.onData === 'function';
}
