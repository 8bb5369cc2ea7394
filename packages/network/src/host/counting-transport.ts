/**
 * A libp2p transport whose sockets are counted and whose incoming connections need a place to be encrypted. Every
 * connection passes through the upgrader, so the sockets are met there, before the first byte of the handshake.
 */
import type { MultiaddrConnection, Transport, Upgrader } from '@libp2p/interface';
import { socketOf } from './socket-tls.ts';
import type { Traffic } from './traffic.ts';
import type { UpgradeLimit } from './upgrade-limit.ts';

type TransportFactory<Components> = (components: Components) => Transport;

export function countingTransport<Components>(
  create: TransportFactory<Components>,
  traffic: Traffic,
  places: UpgradeLimit,
): TransportFactory<Components> {
  return (components) => {
    const transport = create(components);
    const dial = transport.dial.bind(transport);
    const createListener = transport.createListener.bind(transport);
    transport.dial = (address, options) =>
      dial(address, { ...options, upgrader: countingUpgrader(options.upgrader, traffic, places) });
    transport.createListener = (options) =>
      createListener({ ...options, upgrader: countingUpgrader(options.upgrader, traffic, places) });
    return transport;
  };
}

function countingUpgrader(upgrader: Upgrader, traffic: Traffic, places: UpgradeLimit): Upgrader {
  return {
    upgradeOutbound: (connection: MultiaddrConnection, options) => {
      track(connection, traffic);
      return upgrader.upgradeOutbound(connection, options);
    },
    upgradeInbound: (connection: MultiaddrConnection, options) => {
      track(connection, traffic);
      return places.occupy(connection, () => upgrader.upgradeInbound(connection, options));
    },
    createInboundAbortSignal: (signal) => upgrader.createInboundAbortSignal(signal),
    getStreamMuxers: () => upgrader.getStreamMuxers(),
    getConnectionEncrypters: () => upgrader.getConnectionEncrypters(),
  };
}

function track(connection: MultiaddrConnection, traffic: Traffic): void {
  const socket = socketOf(connection);
  if (socket !== undefined) traffic.track(socket);
}
