/**
 * Stream muxers for connections that end at any moment. What is sent on a connection that closes already goes
 * nowhere; the library throws there, some of it out of microtasks, where nobody can catch it.
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
      connection.send = (data) => connection.status === 'open' && send(data);
      return createStreamMuxer(connection);
    };
    return factory;
  };
}
