/**
 * The bridge's WebSocket at the address of the node, so that a page of a development network mines without a second
 * origin. A request at the path of the tunnel is handed to the bridge as it came, and bytes go both ways until one side
 * ends; which pages may mine is the bridge's to say. No other network has a tunnel.
 */
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { refuseUpgrade } from 'svc-serve';
import { type Bind, formatBind } from '../config/bind.ts';

export const MINER_SOCKET_PATH = '/v1/dev/miner';
const TUNNELS_MAX = 32;

export class MinerTunnel {
  readonly #bridge: () => Bind | undefined;
  readonly #open = new Set<Socket>();

  /** `bridge` says where the bridge takes WebSockets; undefined while there is none. */
  constructor(bridge: () => Bind | undefined) {
    this.#bridge = bridge;
  }

  /** Whether the request is one for the tunnel, which it then is in. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (request.url !== MINER_SOCKET_PATH) return false;
    const bridge = this.#bridge();
    if (bridge === undefined) {
      refuseUpgrade(socket, { code: 'unavailable', message: 'this network has no bridge' });
    } else if (this.#open.size >= TUNNELS_MAX) {
      refuseUpgrade(socket, {
        code: 'too_many_connections',
        message: `expected at most ${TUNNELS_MAX} miners in pages`,
      });
    } else {
      this.#join(request, socket, head, bridge);
    }
    return true;
  }

  close(): void {
    for (const upstream of this.#open) upstream.destroy();
  }

  #join(request: IncomingMessage, socket: Duplex, head: Buffer, bridge: Bind): void {
    request.socket.setTimeout(0);
    const upstream = connect({ ...bridge, noDelay: true });
    this.#open.add(upstream);
    upstream.write(handshakeOf(request, bridge));
    upstream.write(head);
    socket.pipe(upstream).pipe(socket);
    upstream.on('error', () => upstream.destroy());
    upstream.once('close', () => {
      this.#open.delete(upstream);
      socket.destroy();
    });
    socket.once('close', () => upstream.destroy());
  }
}

/** The request as the client sent it, at the root of the bridge. */
function handshakeOf({ rawHeaders }: IncomingMessage, bridge: Bind): string {
  const lines = [`GET / HTTP/1.1`, `host: ${formatBind(bridge)}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'host')
      lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
