/**
 * One connection to whoever listens where a daemon says to be. Everything goes over this connection or fails: a second one
 * may lead to somebody else. Where the daemon has a certificate of its own it is known by its fingerprint, and nothing is
 * sent before the other side has shown it and proven its key: no authority and no name is asked.
 */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectOverTls, type TLSSocket } from 'node:tls';
import { peerFingerprint } from 'svc-base/node';

export interface Exchange {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** An answer that is longer is not read to its end. */
  readonly bytesMax?: number;
  readonly signal: AbortSignal;
}

export interface Exchanged {
  readonly status: number;
  readonly text: string;
}

/** Whoever listens is not the daemon: it shows another certificate, or says what no daemon says. */
export class Stranger extends Error {
  override readonly name = 'Stranger';
}

export class DaemonConnection {
  readonly #socket: Socket;
  readonly #agent: Agent;
  readonly #host: string;

  static async open(
    url: string,
    fingerprint: string | undefined,
    signal: AbortSignal,
  ): Promise<DaemonConnection> {
    const { host } = new URL(url);
    const socket = await openSocket(url, fingerprint !== undefined, signal);
    if (fingerprint === undefined || peerFingerprint(socket as TLSSocket) === fingerprint)
      return new DaemonConnection(socket, host);
    socket.destroy();
    throw new Stranger(`what listens at ${url} shows another certificate`);
  }

  private constructor(socket: Socket, host: string) {
    this.#socket = socket.on('error', () => {});
    this.#agent = new OneSocket(socket);
    this.#host = host;
  }

  /** False once either side has closed it, as far as that is known here. */
  get isOpen(): boolean {
    return this.#socket.writable;
  }

  /** One request after another; the platform keeps their order. */
  exchange({ body, bytesMax = Infinity, headers, ...rest }: Exchange): Promise<Exchanged> {
    const options = { ...rest, agent: this.#agent, headers: { ...headers, host: this.#host } };
    return new Promise((resolve, reject) => {
      const sent = request(options, (response) => {
        readText(response, bytesMax).then((text) => {
          resolve({ status: response.statusCode ?? 0, text });
        }, reject);
      });
      sent.once('error', reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
    this.#socket.destroy();
  }
}

/** Has one connection, and makes no other when that one is closed. */
class OneSocket extends Agent {
  #socket: Socket | undefined;

  constructor(socket: Socket) {
    super({ keepAlive: true, maxSockets: 1 });
    this.#socket = socket;
  }

  override createConnection(): Socket {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) throw new Error('the connection is closed');
    return socket;
  }
}

async function readText(response: IncomingMessage, bytesMax: number): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response) {
    parts.push(part as Buffer);
    bytes += (part as Buffer).length;
    if (bytes > bytesMax) throw new Stranger(`the answer is longer than ${bytesMax} bytes`);
  }
  return Buffer.concat(parts).toString();
}

async function openSocket(url: string, isTls: boolean, signal: AbortSignal): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = isTls
    ? connectOverTls({
        ...{ host, port: Number(port === '' ? 443 : port) },
        rejectUnauthorized: false,
        minVersion: 'TLSv1.3',
      })
    : connect({ host, port: Number(port === '' ? 80 : port) });
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect', { signal });
  } catch (error) {
    socket.on('error', () => {}).destroy();
    throw error;
  }
  return socket;
}
