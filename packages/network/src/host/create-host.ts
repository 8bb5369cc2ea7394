/**
 * Puts the libp2p host together: TCP, TLS before Noise (TLS 1.3 of Node agrees on keys with the
 * post-quantum hybrid), yamux, identify, ping. What needs a router or the public internet is an option.
 */
import { autoNAT } from '@libp2p/autonat';
import { circuitRelayServer, circuitRelayTransport } from '@libp2p/circuit-relay-v2';
import { identify } from '@libp2p/identify';
import type { Libp2p, PrivateKey } from '@libp2p/interface';
import { noise } from '@libp2p/noise';
import { ping } from '@libp2p/ping';
import { tcp } from '@libp2p/tcp';
import { uPnPNAT } from '@libp2p/upnp-nat';
import { yamux } from '@libp2p/yamux';
import { createLibp2p, type Libp2pOptions } from 'libp2p';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { countingTransport } from './counting-transport.ts';
import { forgivingMuxer } from './forgiving-muxer.ts';
import { type Gater, STRANGERS_MAX } from './gater.ts';
import { MuxerGuard, type MuxerGuardOptions } from './muxer-guard.ts';
import type { HostOptions } from './options.ts';
import { loadQuic, type TransportFactory } from './quic.ts';
import { socketTls } from './socket-tls.ts';
import type { Traffic } from './traffic.ts';
import { UPGRADE_MILLIS_MAX, UPGRADES_MAX, UpgradeLimit } from './upgrade-limit.ts';

/** Streams that one connection may have open; the protocols of this package need six. */
const STREAMS_MAX = 32;
/** What one stream may send before it is read: the most memory a paused stream takes. */
const STREAM_WINDOW_MAX = 2_097_152;
/** Limit of the output queue of one connection: streams stop by themselves long before. */
const WAITING_BYTES_MAX = 2 * STREAM_WINDOW_MAX;
/** Time for connecting and encrypting; the dialling side has limits of its own, which are not above it. */
const DIAL_MILLIS_MAX = 60_000;
/** Time to agree on the protocol of a stream. A peer that does not has used up one of its own streams. */
const NEGOTIATION_MILLIS_MAX = 60_000;
/** A peer that is short of processor answers late. A silently dead one keeps its slot for this long. */
const PING_MILLIS_MAX = 30_000;
const LOOPBACK = /^(?:127\.|::1$)/;
/** Longer than the relay is ever silent. */
const STREAM_SILENCE_MILLIS_MAX = 180_000;

export interface HostParts {
  /** Slots for connections that are not encrypted yet; unlimited if absent. */
  readonly places?: UpgradeLimit;
  /** Handles connections that send too many frames of the muxer, beside closing them. */
  readonly watch?: MuxerWatch;
}

type MuxerWatch = Pick<MuxerGuardOptions, 'clock' | 'onExcess'>;

const NOBODY_PAYS: MuxerWatch = { clock: SYSTEM_CLOCK, onExcess: () => undefined };

export async function createHost(
  options: HostOptions,
  privateKey: PrivateKey,
  gater: Gater,
  traffic: Traffic,
  { places = new UpgradeLimit(() => false, SYSTEM_CLOCK), watch = NOBODY_PAYS }: HostParts = {},
): Promise<Libp2p> {
  const guard = guardOf(options, watch);
  const quic = options.quic ? await loadQuic() : undefined;
  const { limits } = options;
  const reach = reachOf(options);
  const transports: TransportFactory[] = [
    countingTransport(
      tcp({ maxConnections: 2 * limits.inboundMax + UPGRADES_MAX }),
      traffic,
      places,
    ),
  ];
  if (quic !== undefined) transports.push(quic());
  if (reach.mapPort || reach.serveRelay) transports.push(circuitRelayTransport());
  return await createLibp2p({
    start: false,
    privateKey,
    nodeInfo: { name: 'svc', userAgent: options.agent },
    addresses: { listen: listenAddresses(options, quic !== undefined) },
    transports,
    connectionEncrypters: [guard.encrypter(socketTls()), guard.encrypter(noise())],
    streamMuxers: [
      guard.muxer(
        forgivingMuxer(
          yamux({
            maxInboundStreams: STREAMS_MAX,
            maxOutboundStreams: STREAMS_MAX,
            streamOptions: {
              maxStreamWindowSize: STREAM_WINDOW_MAX,
              maxReadBufferLength: 2 * STREAM_WINDOW_MAX,
              inactivityTimeout: STREAM_SILENCE_MILLIS_MAX,
            },
          }),
        ),
      ),
    ],
    connectionGater: gater,
    connectionManager: {
      maxConnections: limits.inboundMax + STRANGERS_MAX + 4 * limits.outboundTarget,
      maxIncomingPendingConnections: 2 * UPGRADES_MAX,
      inboundUpgradeTimeout: UPGRADE_MILLIS_MAX,
      dialTimeout: DIAL_MILLIS_MAX,
      addressDialTimeout: DIAL_MILLIS_MAX,
      inboundStreamProtocolNegotiationTimeout: NEGOTIATION_MILLIS_MAX,
      outboundStreamProtocolNegotiationTimeout: NEGOTIATION_MILLIS_MAX,
      inboundConnectionThreshold: limits.inboundPerSecond,
      reconnectRetries: 0,
    },
    connectionMonitor: {
      pingTimeout: { minTimeout: PING_MILLIS_MAX, maxTimeout: PING_MILLIS_MAX },
    },
    services: servicesOf(reach),
  });
}

function guardOf({ limits }: HostOptions, watch: MuxerWatch): MuxerGuard {
  return new MuxerGuard({
    ...watch,
    perOriginMax: limits.perRangeMax,
    dataBytesMax: STREAM_WINDOW_MAX,
    waitingBytesMax: WAITING_BYTES_MAX,
  });
}

type Reach = Pick<HostOptions, 'mapPort' | 'serveRelay'>;

/** A host that only this machine can reach asks no router and relays no traffic. */
function reachOf({ listenHosts, mapPort, serveRelay }: HostOptions): Reach {
  const isReachable = listenHosts.some((host) => !LOOPBACK.test(host));
  return { mapPort: mapPort && isReachable, serveRelay: serveRelay && isReachable };
}

function servicesOf(options: Reach): NonNullable<Libp2pOptions['services']> {
  return {
    identify: identify({ maxInboundStreams: 2 }),
    ping: ping({ maxInboundStreams: 2 }),
    ...(options.mapPort ? { autoNAT: autoNAT(), uPnPNAT: uPnPNAT() } : {}),
    ...(options.serveRelay ? { circuitRelay: circuitRelayServer() } : {}),
  };
}

function listenAddresses({ listenHosts, port }: HostOptions, hasQuic: boolean): string[] {
  return listenHosts.flatMap((host) => {
    const family = host.includes(':') ? 'ip6' : 'ip4';
    const quic = hasQuic ? [`/${family}/${host}/udp/${port}/quic-v1`] : [];
    return [`/${family}/${host}/tcp/${port}`, ...quic];
  });
}
