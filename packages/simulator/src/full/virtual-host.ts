/**
 * Connections and streams between simulated peers, in the place of libp2p's: bytes arrive whole and in order, later or
 * much later. A connection whose end is gone stays open at the other end until the news arrives.
 */
import type { Connection, PeerHost, Stream } from 'svc-network/peering';

/** The way from one host to another as the world sees it. */
export interface Wires {
  readonly now: number;
  /** How long bytes that are sent now take; undefined while nothing passes. */
  delayMs(from: string, to: string): number | undefined;
  callLater(delayMs: number, call: () => void): () => void;
}

type StreamHandler = (stream: Stream, connection: Connection) => void;
type Listener = (event: { readonly data?: Uint8Array; readonly error?: Error }) => void;

/** Bytes that nothing lets pass are sent again after this time. */
const RETRY_MS = 500;

export class VirtualHost {
  readonly id: string;
  readonly #handlers = new Map<string, StreamHandler>();
  readonly #connections = new Set<VirtualConnection>();

  constructor(id: string) {
    this.id = id;
  }

  /** Relay and sync see a host of libp2p, of which they use these two methods. */
  get port(): PeerHost {
    const port: PeerHost = {
      handle: async (protocol: string, handler: StreamHandler) =>
        void this.#handlers.set(protocol, handler),
      unhandle: async (protocol: string) => void this.#handlers.delete(protocol),
    };
    return port;
  }

  handlerOf(protocol: string): StreamHandler | undefined {
    return this.#handlers.get(protocol);
  }

  handle(protocol: string, handler: StreamHandler): void {
    this.#handlers.set(protocol, handler);
  }

  opened(connection: VirtualConnection): void {
    this.#connections.add(connection);
    connection.addEventListener('close', () => void this.#connections.delete(connection));
  }

  isConnectedTo(id: string): boolean {
    return [...this.#connections].some(({ remotePeer }) => remotePeer.toString() === id);
  }

  /** All connections end here at once. */
  close(): void {
    for (const connection of [...this.#connections]) connection.abort();
    this.#handlers.clear();
  }
}

/** Both ends of a new connection; the first dialled the second. */
export function connect(
  from: VirtualHost,
  to: VirtualHost,
  wires: Wires,
): readonly [outbound: Connection, inbound: Connection] {
  const outbound = new VirtualConnection(from, to, 'outbound', wires);
  const inbound = new VirtualConnection(to, from, 'inbound', wires);
  outbound.other = inbound;
  inbound.other = outbound;
  from.opened(outbound);
  to.opened(inbound);
  return [outbound.port, inbound.port];
}

/** One direction of a connection: what goes in first comes out first. */
class Pipe {
  readonly #wires: Wires;
  readonly #from: string;
  readonly #to: string;
  #lastAt = 0;
  #last: { readonly madeAt: number; readonly calls: (() => void)[]; isGone: boolean } | undefined;
  #blocked: (() => void)[] = [];

  constructor(wires: Wires, from: string, to: string) {
    this.#wires = wires;
    this.#from = from;
    this.#to = to;
  }

  /** What is sent at one moment arrives at one moment. */
  send(call: () => void): void {
    const { now } = this.#wires;
    if (this.#last?.madeAt === now && !this.#last.isGone) {
      this.#last.calls.push(call);
      return;
    }
    const batch = { madeAt: now, calls: [call], isGone: false };
    this.#last = batch;
    this.#dispatch(() => {
      batch.isGone = true;
      for (const one of batch.calls) one();
    });
  }

  #dispatch(deliver: () => void): void {
    const { now } = this.#wires;
    const delayMs = this.#wires.delayMs(this.#from, this.#to);
    if (delayMs === undefined || this.#blocked.length > 0) {
      if (this.#blocked.length === 0) this.#retryLater();
      this.#blocked.push(deliver);
      return;
    }
    this.#lastAt = Math.max(this.#lastAt, now + delayMs);
    this.#wires.callLater(this.#lastAt - now, deliver);
  }

  #retryLater(): void {
    this.#wires.callLater(RETRY_MS, () => {
      const blocked = this.#blocked;
      this.#blocked = [];
      for (const deliver of blocked) this.#dispatch(deliver);
    });
  }
}

class Listeners {
  readonly #listeners = new Map<string, Listener[]>();

  add(type: string, listener: Listener): void {
    const known = this.#listeners.get(type);
    if (known === undefined) this.#listeners.set(type, [listener]);
    else known.push(listener);
  }

  emit(type: string, event: Parameters<Listener>[0] = {}): void {
    for (const listener of [...(this.#listeners.get(type) ?? [])]) listener(event);
  }
}

class VirtualConnection {
  readonly direction: 'inbound' | 'outbound';
  readonly remotePeer: { toString(): string };
  other!: VirtualConnection;
  status: 'open' | 'closed' = 'open';
  readonly #host: VirtualHost;
  readonly #pipe: Pipe;
  readonly #listeners = new Listeners();
  readonly #streams = new Set<VirtualStream>();

  constructor(host: VirtualHost, to: VirtualHost, direction: 'inbound' | 'outbound', wires: Wires) {
    this.direction = direction;
    this.remotePeer = { toString: () => to.id };
    this.#host = host;
    this.#pipe = new Pipe(wires, host.id, to.id);
  }

  /** Peers see a connection of libp2p, of which they use what this class has. */
  get port(): Connection {
    return this as unknown as Connection;
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.add(type, listener);
  }

  async newStream(protocol: string): Promise<Stream> {
    if (this.status !== 'open') throw new Error('the connection is closed');
    const [near, far] = [new VirtualStream(this), new VirtualStream(this.other)];
    near.other = far;
    far.other = near;
    this.#streams.add(near);
    this.send(() => this.other.#accept(protocol, far));
    return near.port;
  }

  #accept(protocol: string, stream: VirtualStream): void {
    const handler = this.#host.handlerOf(protocol);
    if (handler === undefined) {
      stream.abort(new Error(`nobody speaks ${protocol}`));
      return;
    }
    this.#streams.add(stream);
    handler(stream.port, this.port);
  }

  /** Runs at the other end when the bytes have arrived there, unless that end is closed then. */
  send(call: () => void): void {
    if (this.status === 'open')
      this.#pipe.send(() => {
        if (this.other.status === 'open') call();
      });
  }

  async close(): Promise<void> {
    this.abort();
  }

  abort(): void {
    if (this.status !== 'open') return;
    this.send(() => this.other.#ended());
    this.#ended();
  }

  #ended(): void {
    this.status = 'closed';
    const error = new Error('the connection has ended');
    for (const stream of [...this.#streams]) stream.reset(error);
    this.#listeners.emit('close');
  }

  forget(stream: VirtualStream): void {
    this.#streams.delete(stream);
  }
}

class VirtualStream {
  other!: VirtualStream;
  status: 'open' | 'closed' | 'aborted' = 'open';
  readonly readStatus = 'readable';
  readonly writableNeedsDrain = false;
  readonly writeBufferLength = 0;
  maxWriteBufferLength = 0;
  readonly #connection: VirtualConnection;
  readonly #listeners = new Listeners();
  readonly #arrived: Uint8Array[] = [];
  #isPaused = false;

  constructor(connection: VirtualConnection) {
    this.#connection = connection;
  }

  /** Channels see a stream of libp2p, of which they use what this class has. */
  get port(): Stream {
    return this as unknown as Stream;
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.add(type, listener);
  }

  send(bytes: Uint8Array): boolean {
    if (this.status !== 'open') throw new Error('the stream is closed');
    this.#connection.send(() => this.other.#receive(bytes));
    return true;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    while (!this.#isPaused && this.status === 'open') {
      const bytes = this.#arrived.shift();
      if (bytes === undefined) return;
      this.#listeners.emit('message', { data: bytes });
    }
  }

  async close(): Promise<void> {
    if (this.status !== 'open') return;
    this.#connection.send(() => this.other.#listeners.emit('end'));
    this.#end('closed');
  }

  abort(error: Error): void {
    if (this.status !== 'open') return;
    this.#connection.send(() => this.other.reset(error));
    this.#end('aborted');
  }

  /** The other end, or the connection, is gone. */
  reset(error: Error): void {
    if (this.status !== 'open') return;
    this.#end('aborted');
    this.#listeners.emit('close', { error });
  }

  #receive(bytes: Uint8Array): void {
    if (this.status !== 'open') return;
    this.#arrived.push(bytes);
    if (!this.#isPaused) this.resume();
  }

  #end(status: 'closed' | 'aborted'): void {
    this.status = status;
    this.#connection.forget(this);
  }
}
