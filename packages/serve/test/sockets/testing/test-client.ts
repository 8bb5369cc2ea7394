/**
 * A client over a real socket. Every frame that comes in is held against the schema of its endpoint.
 */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { SERVER_FRAMES, SOCKET_ENDPOINTS, type SocketEndpoint } from 'svc-api';
import { Compile } from 'typebox/compile';
import { WebSocket } from 'ws';

export interface Frame {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Closing {
  readonly code: number;
  readonly reason: string;
}

const PATIENCE_MILLIS = 120_000;

const VALIDATORS = Object.fromEntries(
  Object.entries(SERVER_FRAMES).map(([endpoint, frames]) => [
    endpoint,
    new Map(Object.entries(frames).map(([type, schema]) => [type, Compile(schema)])),
  ]),
);

/** Fails a test that waits for something that does not come. */
export function within<T>(promise: Promise<T>, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`waited for ${what}`)), PATIENCE_MILLIS);
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}

export class TestClient {
  readonly webSocket: WebSocket;
  readonly closed: Promise<Closing>;
  readonly #endpoint: SocketEndpoint;
  readonly #frames: Frame[] = [];
  #wake: (() => void) | undefined;
  #ended = false;

  constructor(webSocket: WebSocket, endpoint: SocketEndpoint) {
    this.webSocket = webSocket;
    this.#endpoint = endpoint;
    const closing = Promise.withResolvers<Closing>();
    this.closed = closing.promise;
    webSocket.on('message', (data: Buffer) => this.#take(data.toString()));
    webSocket.on('error', () => {});
    webSocket.on('close', (code, reason) => {
      this.#ended = true;
      closing.resolve({ code, reason: reason.toString() });
      this.#wake?.();
    });
  }

  static async open(
    origin: string,
    endpoint: SocketEndpoint,
    path: string = SOCKET_ENDPOINTS[endpoint].path,
    options: { headers?: Record<string, string> } = {},
  ): Promise<TestClient> {
    const { subprotocol } = SOCKET_ENDPOINTS[endpoint];
    const webSocket = new WebSocket(origin.replace('http', 'ws') + path, subprotocol, options);
    const client = new TestClient(webSocket, endpoint);
    await within(
      new Promise<void>((resolve, reject) => {
        webSocket.once('open', resolve);
        webSocket.once('error', reject);
      }),
      'the socket to open',
    );
    assert.equal(webSocket.protocol, subprotocol);
    return client;
  }

  send(type: string, data: object): void {
    this.webSocket.send(JSON.stringify({ type, data }));
  }

  /** The next frame, in order. */
  async next(): Promise<Frame> {
    while (this.#frames.length === 0) {
      if (this.#ended) throw new Error('the socket is closed');
      await within(new Promise<void>((resolve) => (this.#wake = resolve)), 'a frame');
    }
    return this.#frames.shift() as Frame;
  }

  /** The next frame, which must be of this type; its data. */
  async expect(type: string): Promise<Frame['data']> {
    const frame = await this.next();
    assert.equal(frame.type, type, JSON.stringify(frame));
    return frame.data;
  }

  async ask(type: string, data: { id: string | number; [field: string]: unknown }): Promise<Frame> {
    this.send(type, data);
    const frame = await this.next();
    assert.equal(frame.data['id'], data.id, JSON.stringify(frame));
    return frame;
  }

  async subscribe(topic: string, more: object = {}): Promise<number> {
    const { type, data } = await this.ask('subscribe', { id: `to ${topic}`, topic, ...more });
    assert.equal(type, 'subscribed', JSON.stringify(data));
    assert.equal(data['topic'], topic);
    return data['subscription'] as number;
  }

  /** The event of the next frame, which must be a notification. */
  async event(subscription: number): Promise<Frame> {
    const data = await this.expect('notification');
    assert.equal(data['subscription'], subscription);
    return data['event'] as Frame;
  }

  /** The code of the next frame, which must be an error. */
  async errorCode(): Promise<unknown> {
    return (await this.expect('error'))['code'];
  }

  /** Whether nothing is left to read once the server has answered a ping. */
  async quiet(): Promise<boolean> {
    this.send('ping', { id: 'quiet' });
    const { type, data } = await this.next();
    return type === 'pong' && data['id'] === 'quiet' && this.#frames.length === 0;
  }

  /** The connection below. */
  get socket(): Socket {
    return (this.webSocket as unknown as { _socket: Socket })._socket;
  }

  get waiting(): number {
    return this.#frames.length;
  }

  #take(text: string): void {
    const frame = JSON.parse(text) as Frame;
    const validator = VALIDATORS[this.#endpoint]?.get(frame.type);
    const errors = validator === undefined ? ['no such frame'] : [...validator.Errors(frame)];
    if (errors.length > 0) throw new Error(`${text.slice(0, 500)}: ${JSON.stringify(errors)}`);
    this.#frames.push(frame);
    this.#wake?.();
  }
}
