/**
 * A proxy in front of a real node that changes what the node answers, as a test tells it. It keeps nothing back by itself.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Changes an answer of the node; `path` is without the query. */
export type Lie = (document: Record<string, unknown>, path: string) => unknown;

export class LyingProxy {
  readonly #server: Server;
  readonly #target: string;
  #lie: Lie = (document) => document;

  static async start(target: string): Promise<LyingProxy> {
    const proxy = new LyingProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer((request, response) => {
      void this.#answer(request, response).catch(() => response.destroy());
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  tell(lie: Lie): void {
    this.#lie = lie;
  }

  tellTruth(): void {
    this.#lie = (document) => document;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const answered = await fetch(`${this.#target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/json' },
      ...(request.method === 'POST' ? { body: new Uint8Array(Buffer.concat(parts)) } : {}),
    });
    const document = (await answered.json()) as Record<string, unknown>;
    const told = answered.ok ? this.#lie(document, request.url?.split('?')[0] ?? '') : document;
    response.writeHead(answered.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(told));
  }
}
