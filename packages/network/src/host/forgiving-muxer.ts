/**
 * Stream muxers for connections that end at any moment. Data sent on a closing connection is dropped; the library
 * throws there, partly out of microtasks, where it cannot be caught. Head and content of a message go out in one
 * piece, since each piece would be encrypted and written to the socket separately. For the same reason a stream
 * grants more window when half of it is used, not after each message. A stream that the library itself reads grants
 * none: the library keeps data that comes faster than it answers, without a limit or up to 4 MB.
 */
import type { Stream, StreamMuxerFactory } from '@libp2p/interface';

/** Protocol negotiation, pings and identify: a few hundred bytes each from honest peers. */
const READ_BY_LIBRARY = /^(?:$|\/ipfs\/(?:ping|id)\/)/;

type MuxerFactory<Components> = (components: Components) => StreamMuxerFactory;

/** Members of a yamux stream that its interface lacks. */
interface ReceivingStream {
  /** The bytes that the other side may send at most before it is allowed more. */
  readonly recvWindow: number;
  /** What is left of these. */
  readonly recvWindowCapacity: number;
  /** Allows the other side a whole window again; the library calls it after each message. */
  sendWindowUpdate: () => void;
}

/** Members of the library's muxer that its interface lacks. */
interface AcceptingMuxer {
  /** Called with each stream that the other side opens. */
  onRemoteStream: (stream: Stream) => void;
}

export function forgivingMuxer<Components>(
  create: MuxerFactory<Components>,
): MuxerFactory<Components> {
  return (components) => {
    const factory = create(components);
    const createStreamMuxer = factory.createStreamMuxer.bind(factory);
    factory.createStreamMuxer = (connection) => {
      const send = connection.send.bind(connection);
      connection.send = (data) => connection.status === 'open' && send(data.subarray());
      const muxer = createStreamMuxer(connection);
      const createStream = muxer.createStream.bind(muxer);
      muxer.createStream = async (options) => allowSeldom(await createStream(options));
      if (isAccepting(muxer)) {
        const onRemoteStream = muxer.onRemoteStream.bind(muxer);
        muxer.onRemoteStream = (stream) => onRemoteStream(allowSeldom(stream));
      }
      return muxer;
    };
    return factory;
  };
}

/** The first allowance, which opens the stream, comes before anything was received. */
function allowSeldom(stream: Stream): Stream {
  if (!isReceiving(stream)) return stream;
  const allow = stream.sendWindowUpdate.bind(stream);
  stream.sendWindowUpdate = () => {
    const { recvWindow, recvWindowCapacity: left, protocol } = stream;
    if (left === recvWindow || (!READ_BY_LIBRARY.test(protocol) && 2 * left <= recvWindow)) allow();
  };
  return stream;
}

function isReceiving(stream: object): stream is ReceivingStream {
  return 'sendWindowUpdate' in stream && 'recvWindow' in stream && 'recvWindowCapacity' in stream;
}

function isAccepting(muxer: object): muxer is AcceptingMuxer {
  return 'onRemoteStream' in muxer && typeof muxer.onRemoteStream === 'function';
}
