/**
 * A mining listener that a test commands: it can be behind, slow, gone and back on the same port, which a real node
 * does not do on demand. Its templates are headers that any hash meets or none does.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toHex } from 'svc-wasm/base';

export interface StubNodeOptions {
  readonly chainId?: string;
  /** Big-endian, as hexadecimal; every hash meets the default. */
  readonly target?: string;
  readonly intervalCuts?: number;
}

/** As often as a node does: a client that receives nothing for longer treats the node as disconnected. */
const SIGN_OF_LIFE_MILLIS = 15_000;

/** What every template of a stub has. */
export const STUB_BODY_HEX: string = '00';

export class StubNode {
  height = 1;
  isBehind = false;
  readonly candidates: string[] = [];
  /** What candidates are answered with, in this order; then accepted. */
  readonly refusals: { status: number; code: string }[] = [];
  onCandidate: () => Promise<void> = async () => {};
  readonly #options: Required<StubNodeOptions>;
  readonly #streams = new Set<ServerResponse>();
  #server: Server | undefined;
  #signs: NodeJS.Timeout | undefined;
  #port = 0;
  #templates = 0;

  constructor(options: StubNodeOptions = {}) {
    this.#options = {
      chainId: '07'.repeat(48),
      target: 'ff'.repeat(32),
      intervalCuts: 1_440,
      ...options,
    };
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${this.#port}`);
  }

  /** Templates that were given out. */
  get templates(): number {
    return this.#templates;
  }

  async start(): Promise<this> {
    const server = createServer((request, response) => void this.#answer(request, response));
    await new Promise<void>((resolve) => {
      server.listen(this.#port, '127.0.0.1', () => resolve());
    });
    this.#server = server;
    this.#signs = setInterval(() => this.#tell(': alive\n\n'), SIGN_OF_LIFE_MILLIS);
    this.#port = (server.address() as AddressInfo).port;
    return this;
  }

  /** Stops as after a kill; `start` listens on the same port again. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    clearInterval(this.#signs);
    this.#streams.clear();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  /** A cut is final. */
  cut(height: number = this.height + 1): void {
    this.height = height;
    const data = { height, cut_id: '00'.repeat(48), target: this.#options.target };
    const text = JSON.stringify({ type: 'cut_finalized', data });
    this.#tell(`id: ${height}\ndata: ${text}\n\n`);
  }

  #tell(text: string): void {
    for (const stream of this.#streams) stream.write(text);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const send = (status: number, document: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(document));
    };
    const refuse = (status: number, code: string) =>
      send(status, { error: { code, message: code } });
    const path = request.url ?? '';
    if (path === '/v1/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      this.#streams.add(response);
    } else if (path === '/v1/mining/chain') send(200, this.#chain());
    else if (path === '/v1/node/sync') send(200, { behind_by: this.isBehind ? 100 : 0 });
    else if (path === '/v1/mining/templates') {
      if (this.isBehind) refuse(503, 'not_synced');
      else send(200, this.#template());
    } else {
      const { header_hex: header } = JSON.parse(Buffer.concat(parts).toString()) as {
        header_hex: string;
      };
      this.candidates.push(header);
      await this.onCandidate();
      const refusal = this.refusals.shift();
      if (refusal !== undefined) refuse(refusal.status, refusal.code);
      else send(200, { api_version: 1, result: 'accepted', block_id: '11'.repeat(48) });
    }
  }

  #chain() {
    const { chainId, intervalCuts } = this.#options;
    return {
      api_version: 1,
      network: 'development',
      chain_id: chainId,
      finalized_height: this.height,
      interval_cuts: intervalCuts,
      pow: { cache_items: 4_093, dataset_pages: 131_071, period_cuts: 30 * intervalCuts },
    };
  }

  #template() {
    const header = new Uint8Array(312);
    const view = new DataView(header.buffer);
    view.setBigUint64(8, BigInt(this.height), true);
    view.setUint32(112, ++this.#templates);
    return {
      api_version: 1,
      anchor: { height: this.height, cut_id: '00'.repeat(48) },
      target: this.#options.target,
      registration_window_end: this.height + 96,
      header_hex: toHex(header),
      body_hex: STUB_BODY_HEX,
    };
  }
}
