/**
 * Subscriptions by topic over one connection that is reopened when it breaks. Nothing is replayed on this socket:
 * after every reconnect, and when the server dropped events, each subscription is asked to read the current state
 * over HTTP.
 */
import type { PlainTopic, ResyncReason, TopicEvent } from 'svc-api';
import { FramePacer } from './frame-pacer.ts';
import { connect, type Frame, reconnectWait, type SocketPorts } from './reconnect.ts';

const ENDPOINT = { path: '/v1/ws', subprotocol: 'svc.node-api.v1' } as const;
/** How long a connection may be silent: the time of two unanswered pings. */
const SILENCE_MILLIS_MAX = 45_000;

/** What can be subscribed to. */
export type Topic =
  | { readonly topic: PlainTopic }
  | { readonly topic: 'transaction'; readonly transaction_id: string }
  | { readonly topic: 'addresses'; readonly addresses: readonly string[] };

/** Callbacks for the events of a topic. */
export interface Listener {
  onEvent(event: TopicEvent): void;
  /** Events may be missing: read the current state. Called after each subscription too. */
  onResync?(reason: ResyncReason | 'subscribed'): void;
  /** The server refused the subscription. */
  onRefused?(code: string, message: string): void;
}

/** When a socket ends, and the callback for its connection state. */
export interface ApiSocketOptions {
  readonly signal?: AbortSignal;
  readonly onState?: (isConnected: boolean) => void;
}

interface Subscription {
  readonly topic: Topic;
  readonly listener: Listener;
  /** The number that the server gave the subscription on the present connection. */
  number: number | undefined;
}

/** A connection for subscriptions that is reopened when it is lost; `client.openSocket` makes one. */
export class ApiSocket {
  readonly #base: string;
  readonly #ports: SocketPorts;
  readonly #onState: (isConnected: boolean) => void;
  readonly #subscriptions = new Map<number, Subscription>();
  readonly #ending = new AbortController();
  #pacer: FramePacer | undefined;
  #nextId = 1;
  readonly #done: Promise<void>;

  constructor(base: string, ports: SocketPorts, options: ApiSocketOptions = {}) {
    this.#base = base;
    this.#ports = ports;
    this.#onState = options.onState ?? (() => {});
    options.signal?.addEventListener('abort', () => this.#ending.abort(), { once: true });
    if (options.signal?.aborted === true) this.#ending.abort();
    this.#done = this.#keepConnected();
  }

  /** Subscribes to a topic. Returns a function that ends the subscription. */
  subscribe(topic: Topic, listener: Listener): () => void {
    const id = this.#nextId++;
    const subscription: Subscription = { topic, listener, number: undefined };
    this.#subscriptions.set(id, subscription);
    this.#pacer?.send({ type: 'subscribe', data: { id, ...topic } });
    return () => {
      this.#subscriptions.delete(id);
      if (subscription.number === undefined) return;
      const data = { id: this.#nextId++, subscription: subscription.number };
      this.#pacer?.send({ type: 'unsubscribe', data });
    };
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#done;
  }

  async #keepConnected(): Promise<void> {
    const { signal } = this.#ending;
    for (let failures = 0; !signal.aborted; failures++) {
      const connection = connect(this.#ports, {
        url: `${this.#base}${ENDPOINT.path}`,
        protocol: ENDPOINT.subprotocol,
        signal,
        silenceMillisMax: SILENCE_MILLIS_MAX,
        onOpen: (send) => this.#begin(send),
      });
      for await (const frame of connection) {
        failures = 0;
        this.#handleFrame(frame);
      }
      this.#end();
      await this.#ports.sleep(reconnectWait(failures, this.#ports.random), signal);
    }
  }

  #begin(send: (frame: object) => void): void {
    this.#pacer = new FramePacer(send, this.#ports);
    for (const [id, { topic }] of this.#subscriptions) {
      this.#pacer.send({ type: 'subscribe', data: { id, ...topic } });
    }
    this.#onState(true);
  }

  #end(): void {
    this.#pacer?.close();
    this.#pacer = undefined;
    for (const subscription of this.#subscriptions.values()) subscription.number = undefined;
    this.#onState(false);
  }

  #handleFrame({ type, data }: Frame): void {
    const frame = data as {
      readonly id?: number;
      readonly subscription?: number;
      readonly event?: TopicEvent;
      readonly reason?: ResyncReason;
      readonly code?: string;
      readonly message?: string;
    };
    if (type === 'subscribed') {
      this.#subscribed(frame.id, frame.subscription);
      return;
    }
    if (type === 'error') {
      const refused = this.#subscriptions.get(frame.id ?? 0);
      refused?.listener.onRefused?.(frame.code ?? 'unknown', frame.message ?? '');
      return;
    }
    const found = this.#byNumber(frame.subscription);
    if (type === 'notification' && frame.event !== undefined) found?.listener.onEvent(frame.event);
    if (type === 'resync_required') found?.listener.onResync?.(frame.reason ?? 'stream_lagged');
  }

  #subscribed(id: number | undefined, number: number | undefined): void {
    const subscription = this.#subscriptions.get(id ?? 0);
    if (subscription === undefined) {
      this.#pacer?.send({
        type: 'unsubscribe',
        data: { id: this.#nextId++, subscription: number },
      });
      return;
    }
    subscription.number = number;
    subscription.listener.onResync?.('subscribed');
  }

  #byNumber(number: number | undefined): Subscription | undefined {
    if (number === undefined) return undefined;
    return [...this.#subscriptions.values()].find((each) => each.number === number);
  }
}
