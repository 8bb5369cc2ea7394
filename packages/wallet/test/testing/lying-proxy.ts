/**
 * A proxy in front of a real node that changes what the node answers, as a test tells it. It keeps nothing back by itself.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HTTP_ERRORS } from 'svc-api';

/** Changes an answer of the node; `path` is without the query. */
export type Lie = (document: Record<string, unknown>, path: string) => unknown;

/** A change of an address, or an output, in an answer. */
export interface Row {
  readonly kind?: string;
  readonly address?: string;
  readonly outpoint?: { readonly transaction_id: string; readonly output_index: number };
}

/** Changes every list of changes and outputs in an answer. */
export function eachList(change: (rows: readonly Row[]) => readonly Row[]): Lie {
  return (document) =>
    JSON.parse(JSON.stringify(document), (key, value: unknown) =>
      (key === 'changes' || key === 'utxos') && Array.isArray(value)
        ? change(value as Row[])
        : value,
    );
}

/** Thrown by a lie: the node is said not to keep it. */
export class NotKept extends Error {}

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

  #told({ ok, status }: Response, document: Record<string, unknown>, path: string) {
    try {
      return { status, told: ok ? this.#lie(document, path) : document };
    } catch (error) {
      if (!(error instanceof NotKept)) throw error;
      const refusal = { code: 'not_kept', message: 'not kept' };
      return { status: HTTP_ERRORS.not_kept.status, told: { api_version: 1, error: refusal } };
    }
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
    const { status, told } = this.#told(answered, document, request.url?.split('?')[0] ?? '');
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(told));
  }
}
