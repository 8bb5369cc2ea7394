/**
 * Stream muxers for connections that end at any moment. What is sent on a connection that closes already goes
 * nowhere; the library throws there, some of it out of microtasks, where nobody can catch it. Head and content of a
 * message go out in one piece, since each piece would be encrypted and written to the socket by itself.
 */
import type { StreamMuxerFactory } from '@libp2p/interface';

type MuxerFactory<Components> = (components: Components) => StreamMuxerFactory;

export function forgivingMuxer<Components>(
  create: MuxerFactory<Components>,
): MuxerFactory<Components> {
  return (components) => {
    const factory = create(components);
    const createStreamMuxer = factory.createStreamMuxer.bind(factory);
    factory.createStreamMuxer = (connection) => {
      const send = connection.send.bind(connection);
      connection.send = (data) => connection.status === 'open' && send(data.subarray());
      return createStreamMuxer(connection);
    };
    return factory;
  };
}
