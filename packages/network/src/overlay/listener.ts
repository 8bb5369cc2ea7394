/**
 * Accepts other validators. How many may be in the handshake at once is bounded as a whole, for each range of
 * addresses, and by time. Addresses of members have slots of their own. When places are all taken, ranges share them:
 * silent sockets are evicted for others after a moment.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { multiaddr } from '@multiformats/multiaddr';
import { type Log, messageOf } from 'svc-base/pure';
import { canonicalHost, rangeOf, type SocketAddress } from '../base/addresses.ts';
import { FairSlots } from '../base/fair-slots.ts';
import type { Traffic } from '../host/traffic.ts';
import { answer, type Greeted, type HandshakePorts } from './handshake.ts';
import { secureServer } from './secure-socket.ts';

export interface OverlayListenerOptions {
  readonly ports: HandshakePorts;
  /** Multiaddrs; those for QUIC are ignored. */
  readonly addresses: readonly string[];
  readonly traffic: Traffic;
  readonly log: Log;
  /** Whether a member of the committee is known to be at this address. */
  readonly isMemberHost: (host: string) => boolean;
  /** Called with the address that the validator connected from. */
  readonly onGreeted: (greeted: Greeted, host: string) => void;
}

const STRANGERS_MAX = 32;
const STRANGERS_PER_RANGE_MAX = 8;
/** Slots that only the addresses of members get. */
const MEMBERS_MAX = 64;
/** A handshake takes three times the way there and back, and two signatures. */
const PLACE_MILLIS = 2_000;
/** The most sockets at once: the committee, the next one, and those in the handshake. */
const SOCKETS_MAX = 256;

export class OverlayListener {
  readonly #options: OverlayListenerOptions;
  readonly #servers: Server[] = [];
  readonly #strangers: FairSlots<Socket>;
  readonly #members: FairSlots<Socket>;

  constructor(options: OverlayListenerOptions) {
    this.#options = options;
    const { clock } = options.ports;
    const end = (socket: Socket): void => void socket.destroy();
    const shared = { clock, end, placeMillis: PLACE_MILLIS };
    this.#strangers = new FairSlots({
      ...shared,
      perRangeMax: STRANGERS_PER_RANGE_MAX,
      isFull: (taken) => taken >= STRANGERS_MAX,
    });
    this.#members = new FairSlots({ ...shared, isFull: (taken) => taken >= MEMBERS_MAX });
  }

  /** The addresses it listens on. */
  get addresses(): SocketAddress[] {
    return this.#servers.flatMap((server) => {
      const address = server.address();
      return address === null || typeof address === 'string'
        ? []
        : [{ host: address.address, port: address.port }];
    });
  }

  async start(): Promise<void> {
    for (const text of this.#options.addresses) {
      const address = tcpAddress(text);
      if (address !== undefined) this.#servers.push(await this.#listen(address));
    }
  }

  async close(): Promise<void> {
    for (const places of [this.#strangers, this.#members])
      for (const socket of places.occupants) socket.destroy();
    await Promise.all(
      this.#servers.map((server) => new Promise((resolve) => server.close(resolve))),
    );
  }

  #listen({ host, port }: SocketAddress): Promise<Server> {
    return new Promise((resolve, reject) => {
      const server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
      server.maxConnections = SOCKETS_MAX;
      server.once('error', reject);
      server.listen({ host, port, ipv6Only: true }, () => resolve(server));
    });
  }

  #accept(socket: Socket): void {
    const { traffic, ports, log, onGreeted } = this.#options;
    const host = canonicalHost(socket.remoteAddress ?? '');
    const isMember = host !== undefined && this.#options.isMemberHost(host);
    const places = isMember ? this.#members : this.#strangers;
    if (host === undefined || !places.enter(socket, rangeOf(host))) {
      socket.destroy();
      return;
    }
    socket.once('close', () => places.leave(socket));
    socket.on('error', () => socket.destroy());
    traffic.track(socket);
    answer(secureServer(socket, ports.own.chainId), ports)
      .then((greeted) => onGreeted(greeted, host))
      .catch((error: unknown) => {
        log.debug({ address: host, reason: messageOf(error) }, 'overlay handshake failed');
        socket.destroy();
      })
      .finally(() => places.leave(socket));
  }
}

function tcpAddress(text: string): SocketAddress | undefined {
  const [ip, transport, ...rest] = multiaddr(text).getComponents();
  if (transport?.name !== 'tcp' || rest.length > 0 || ip?.value === undefined) return undefined;
  return { host: ip.value, port: Number(transport.value) };
}
