/**
 * A proxy in front of a node that changes what it answers. Sockets pass through unchanged.
 */
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

type Json = Record<string, unknown>;

export interface Lie {
  readonly name: string;
  /** Which answers it changes, by method and target. */
  readonly where: RegExp;
  /** Changes a document in place, or returns another. */
  readonly change: (document: never) => unknown;
}

/** Headers of the node that no longer hold for a changed body. */
const DROPPED = [
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'connection',
  'keep-alive',
];

export class LyingProxy {
  lie: Lie | undefined;
  /** How often the lie was told. */
  told = 0;
  #isPaused = false;
  readonly #sockets = new Set<Duplex>();
  readonly #upstreams = new WeakMap<Duplex, Duplex>();
  readonly #server: Server;
  readonly #target: URL;

  static async start(target: string): Promise<LyingProxy> {
    const proxy = new LyingProxy(new URL(target));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((request, response) => {
      if (this.#isPaused) {
        response.destroy();
        return;
      }
      this.#pass(request).then(
        ({ status, headers, body }) => response.writeHead(status, headers).end(body),
        () => response.destroy(),
      );
    });
    this.#server.on('upgrade', (request, socket, head) => {
      if (this.#isPaused) {
        socket.destroy();
        return;
      }
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      const upstream = connect(Number(target.port), target.hostname, () => {
        const lines = [`${request.method} ${request.url} HTTP/1.1`];
        for (const [name, value] of Object.entries(this.#ownHeaders(request))) {
          lines.push(`${name}: ${String(value)}`);
        }
        upstream.write(`${lines.join('\r\n')}\r\n\r\n`);
        upstream.write(head);
        socket.pipe(upstream).pipe(socket);
      });
      this.#upstreams.set(socket, upstream);
      const end = (): void => {
        upstream.destroy();
        socket.destroy();
      };
      upstream.on('error', end);
      upstream.on('close', end);
      socket.on('error', end);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends every connection and accepts no other. */
  pause(): void {
    this.#isPaused = true;
    this.#server.closeAllConnections();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Forwards nothing over the open sockets and keeps them open, as after sleep or a lost network. */
  silence(): void {
    for (const socket of this.#sockets) {
      socket.unpipe();
      this.#upstreams.get(socket)?.unpipe();
      this.#upstreams.get(socket)?.resume();
    }
  }

  resume(): void {
    this.#isPaused = false;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #ownHeaders({ headers }: IncomingMessage): IncomingMessage['headers'] {
    const { origin, ...rest } = headers;
    return {
      ...rest,
      host: this.#target.host,
      ...(origin === undefined ? {} : { origin: this.#target.origin }),
    };
  }

  async #pass(
    request: IncomingMessage,
  ): Promise<{ status: number; headers: Record<string, string>; body: Buffer }> {
    const sent = await collect(request);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const own = { ...this.#ownHeaders(request), 'accept-encoding': 'identity' };
      const passed = httpRequest(
        new URL(request.url ?? '/', this.#target),
        { method: request.method ?? 'GET', headers: own },
        resolve,
      );
      passed.on('error', reject);
      passed.end(sent);
    });
    const body = await collect(answer);
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(answer.headers)) {
      if (!DROPPED.includes(name)) headers[name] = String(value);
    }
    const changed = this.#change(`${request.method} ${request.url}`, body, headers);
    return { status: answer.statusCode ?? 502, headers, body: changed };
  }

  #change(target: string, body: Buffer, headers: Record<string, string>): Buffer {
    const { lie } = this;
    const isJson = headers['content-type']?.startsWith('application/json') === true;
    if (lie === undefined || !isJson || !lie.where.test(target)) return body;
    const document = JSON.parse(body.toString('utf8')) as Json;
    if ('error' in document) return body;
    const changed = (lie.change as (given: Json) => unknown)(document) ?? document;
    this.told++;
    return Buffer.from(JSON.stringify(changed));
  }
}

async function collect(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
