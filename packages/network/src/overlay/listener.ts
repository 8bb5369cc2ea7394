/**
 * Where other validators connect. Strangers get a few seconds and a few sockets: how many may be in the
 * handshake at once is bounded as a whole, for each range of addresses, and by time; half of the places are kept for the
 * addresses of members.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { multiaddr } from '@multiformats/multiaddr';
import { type Log, messageOf } from 'svc-base/pure';
import { canonicalHost, rangeOf, type SocketAddress } from '../base/addresses.ts';
import type { Traffic } from '../host/traffic.ts';
import { answer, type Greeted, type HandshakePorts } from './handshake.ts';
import { secureServer } from './secure-socket.ts';

export interface OverlayListenerOptions {
  readonly ports: HandshakePorts;
  /** Multiaddrs; those for QUIC are passed over. */
  readonly addresses: readonly string[];
  readonly traffic: Traffic;
  readonly log: Log;
  /** Whether a member of the committee can be reached at this address. */
  readonly isMemberHost: (host: string) => boolean;
  readonly onGreeted: (greeted: Greeted) => void;
}

const STRANGERS_MAX = 64;
const STRANGERS_PER_RANGE_MAX = 8;
/** Places that only the addresses of members get. */
const STRANGERS_OF_MEMBERS_MAX = 32;
/** The most sockets at once: the committee, the next one, and strangers. */
const SOCKETS_MAX = 256;

export class OverlayListener {
  readonly #options: OverlayListenerOptions;
  readonly #servers: Server[] = [];
  readonly #strangers = new Map<Socket, string>();

  constructor(options: OverlayListenerOptions) {
    this.#options = options;
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
    for (const socket of this.#strangers.keys()) socket.destroy();
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
    if (host === undefined || !this.#hasRoomFor(host)) {
      socket.destroy();
      return;
    }
    this.#strangers.set(socket, host);
    socket.once('close', () => this.#strangers.delete(socket));
    socket.on('error', () => socket.destroy());
    traffic.track(socket);
    answer(secureServer(socket, ports.own.chainId), ports)
      .then(onGreeted)
      .catch((error: unknown) => {
        log.debug({ address: host, reason: messageOf(error) }, 'overlay handshake failed');
        socket.destroy();
      })
      .finally(() => this.#strangers.delete(socket));
  }

  #hasRoomFor(host: string): boolean {
    if (this.#strangers.size >= STRANGERS_MAX) return false;
    if (this.#options.isMemberHost(host)) return true;
    if (this.#strangers.size >= STRANGERS_MAX - STRANGERS_OF_MEMBERS_MAX) return false;
    const range = rangeOf(host);
    const found = [...this.#strangers.values()].filter((other) => rangeOf(other) === range).length;
    return found < STRANGERS_PER_RANGE_MAX;
  }
}

function tcpAddress(text: string): SocketAddress | undefined {
  const [ip, transport, ...rest] = multiaddr(text).getComponents();
  if (transport?.name !== 'tcp' || rest.length > 0 || ip?.value === undefined) return undefined;
  return { host: ip.value, port: Number(transport.value) };
}
