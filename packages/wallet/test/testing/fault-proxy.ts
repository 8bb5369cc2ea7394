/**
 * A proxy in front of a real node that misbehaves when a transaction is submitted. Everything else passes, at once or
 * when a test lets it.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { ROUTES } from 'svc-api';
import { Reader, toHex } from 'svc-wasm/base';

export const NODE_BEHAVIOURS = [
  'ok',
  'answer_lost',
  'duplicate',
  'refused',
  'busy_429',
  'busy_503',
  'mempool_full',
  'timeout',
  'older_state',
] as const;
export type NodeBehaviour = (typeof NODE_BEHAVIOURS)[number];

/** Reading the past begins above height 0; whoever follows the chain reads above what it has read. */
export const isOfPast = (path: string, body: string): boolean =>
  path.startsWith('/v1/address/changes') && body.includes('"after_height":0,');

interface Fault {
  readonly behaviour: NodeBehaviour;
  /** Submissions that it still befalls. */
  left: number;
  /** The first submission that a full mempool met: there is room for others. */
  withoutRoom?: string;
}

export class FaultProxy {
  readonly #server: Server;
  readonly #target: URL;
  #fault: Fault = { behaviour: 'ok', left: 0 };
  #reads: Promise<void> = Promise.resolve();
  #isHeld: (path: string, body: string) => boolean = () => true;
  /** Wires that reached the proxy, for each transaction that the node was given. */
  readonly submitted: string[] = [];
  /** How many requests brought them. */
  submissions = 0;

  static async start(target: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((request, response) => {
      void this.#take(request, response).catch(() => response.destroy());
    });
    this.#server.on('upgrade', (request, socket, head) => {
      const upstream = connect(Number(this.#target.port), this.#target.hostname);
      const lines = [`GET ${request.url} HTTP/1.1`, `host: ${this.#target.host}`];
      for (const [name, value] of Object.entries(request.headers)) {
        if (name !== 'host') lines.push(`${name}: ${String(value)}`);
      }
      upstream.write(`${lines.join('\r\n')}\r\n\r\n`);
      if (head.length > 0) upstream.write(head);
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
      upstream.pipe(socket).pipe(upstream);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Keeps everything but submissions, or what is chosen of it, waiting until the function that it returns is called. */
  holdReads(isHeld: (path: string, body: string) => boolean = () => true): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#reads = promise;
    this.#isHeld = isHeld;
    return resolve;
  }

  /** From now on; `times` submissions are befallen, then all is well. */
  behave(behaviour: NodeBehaviour, times: number): void {
    this.#fault = { behaviour, left: times };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const isSubmission =
      request.method === 'POST' &&
      (request.url === '/v1/transactions' || request.url === '/v1/transactions/batch');
    if (!isSubmission && this.#isHeld(request.url ?? '', body.toString())) await this.#reads;
    const wires = isSubmission ? wiresIn(request, body) : [];
    const isBefallen = wires.some((wire) => this.#befalls(wire));
    if (isBefallen && wires.length > 1 && this.#fault.behaviour === 'mempool_full') {
      // A node that takes transactions one by one, so that one of them has no room and the others have.
      answer(response, 404, { code: 'unknown_route', message: 'there is no such route' });
      return;
    }
    this.submitted.push(...wires);
    if (isSubmission) this.submissions++;
    if (!isBefallen) return await this.#forward(request, body, response);
    this.#fault.left--;
    await this.#misbehave(this.#fault.behaviour, request, body, response);
  }

  #befalls(wire: string): boolean {
    const fault = this.#fault;
    if (fault.behaviour === 'ok' || fault.left <= 0) return false;
    if (fault.behaviour !== 'mempool_full') return true;
    fault.withoutRoom ??= wire;
    return wire === fault.withoutRoom;
  }

  async #misbehave(
    behaviour: NodeBehaviour,
    request: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
  ): Promise<void> {
    switch (behaviour) {
      case 'answer_lost':
        await this.#ask(request, body);
        request.socket.destroy();
        return;
      case 'duplicate':
        await this.#ask(request, body);
        return await this.#forward(request, body, response);
      case 'refused':
        return refuseEach(request, body, response, {
          code: 'fee_too_low',
          message: 'the fee is below the minimum',
        });
      case 'busy_429':
        return answer(response, 429, { code: 'too_many_requests', message: 'slow down' }, 20);
      case 'busy_503':
        return answer(response, 503, { code: 'overloaded', message: 'too much to do' }, 20);
      case 'mempool_full':
        return answer(response, 503, { code: 'mempool_full', message: 'full' });
      case 'older_state':
        return refuseEach(request, body, response, {
          code: 'unknown_input',
          message: 'no such output',
        });
      default:
        // The request is never answered; the client gives up.
        return;
    }
  }

  async #forward(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const { headers, status, text } = await this.#ask(request, body);
    response.writeHead(status, {
      'content-type': headers.get('content-type') ?? 'application/json',
    });
    response.end(text);
  }

  async #ask(
    request: IncomingMessage,
    body: Buffer,
  ): Promise<{ status: number; headers: Headers; text: string }> {
    const answered = await fetch(`${this.#target.origin}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { 'content-type': request.headers['content-type'] ?? 'application/json' },
      ...(request.method === 'POST' ? { body: new Uint8Array(body) } : {}),
    });
    return { status: answered.status, headers: answered.headers, text: await answered.text() };
  }
}

/** The transactions that a request submits, in hexadecimal. */
function wiresIn({ headers }: IncomingMessage, body: Buffer): readonly string[] {
  if (headers['content-type'] === ROUTES.transactionsSubmit.bytes.media) {
    const reader = new Reader(body);
    const wires: string[] = [];
    while (reader.offset < body.length) wires.push(toHex(reader.counted(body.length)));
    return wires;
  }
  const { wire_hex, wires_hex } = JSON.parse(body.toString()) as {
    wire_hex?: string;
    wires_hex?: readonly string[];
  };
  return wires_hex ?? [wire_hex as string];
}

/** Refuses every transaction of a request, in the form that its route has for that. */
function refuseEach(
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  error: { code: string; message: string },
): void {
  const status = 422;
  if (request.url === '/v1/transactions') {
    answer(response, status, error);
    return;
  }
  const receipt = { transaction_id: null, result: 'refused', refusal: { status, error } };
  const receipts = wiresIn(request, body).map(() => receipt);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ api_version: 1, receipts }));
}

function answer(
  response: ServerResponse,
  status: number,
  error: { code: string; message: string },
  retryAfterMillis?: number,
): void {
  const wait = retryAfterMillis === undefined ? {} : { retry_after_millis: retryAfterMillis };
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ api_version: 1, error, ...wait }));
}
