/**
 * One client of `/v1/ws`: its subscriptions and its reads, within the limits of a connection.
 */
import type {
  ApiServerFrame,
  ClientFrame,
  ErrorCode,
  FrameId,
  RequestFrame,
  SocketLimits,
  SubscribeFrame,
  UnsubscribeFrame,
} from 'svc-api';
import type { Addresses } from '../../documents/addresses.ts';
import { type Refusal, Refused, refusalOf } from '../../refusal/refused.ts';
import type { Connection, ConnectionHandler } from '../connection/connection.ts';
import { jsonFrame } from '../connection/frames.ts';
import { Subscription, type SubscriptionResync } from '../fanout/subscription.ts';
import type { Topics } from '../topics/topics.ts';
import { type Envelope, readEnvelope, readFrame } from './read-frame.ts';
import type { Reads } from './reads.ts';

export interface SessionPorts {
  readonly connection: Connection;
  readonly limits: SocketLimits;
  readonly addresses: Addresses;
  readonly topics: Topics;
  readonly reads: Reads;
  /** Whether events are withheld on purpose. */
  readonly isWithholding: () => boolean;
  readonly onClosed: () => void;
}

interface Held {
  readonly subscription: Subscription;
  readonly addresses: number;
  readonly leave: () => void;
}

export class ApiSession implements ConnectionHandler {
  readonly #ports: SessionPorts;
  readonly #subscriptions = new Map<number, Held>();
  #watchedAddresses = 0;

  constructor(ports: SessionPorts) {
    this.#ports = ports;
  }

  text(text: string, retryAfterMillis: number | undefined): void {
    let envelope: Envelope | undefined;
    try {
      envelope = readEnvelope(text);
      if (retryAfterMillis !== undefined) {
        const most = this.#ports.limits.framesPerSecond;
        const message = `expected at most ${most} frames in a second`;
        throw new Refused('too_many_frames', message, { retryAfterMillis });
      }
      this.#execute(readFrame(envelope));
    } catch (error) {
      this.#refuse(envelope?.id, error);
    }
  }

  /** Tells every subscription to read the current state. */
  resync(reason: SubscriptionResync): void {
    for (const { subscription } of this.#subscriptions.values()) subscription.resync(reason);
  }

  room(): void {
    for (const { subscription } of this.#subscriptions.values()) subscription.settle();
  }

  closed(): void {
    for (const number of [...this.#subscriptions.keys()]) this.#leave(number);
    this.#ports.onClosed();
  }

  #execute(frame: ClientFrame): void {
    switch (frame.type) {
      case 'ping':
        this.#send({ type: 'pong', data: { id: frame.data.id } });
        break;
      case 'subscribe':
        this.#subscribe(frame.data);
        break;
      case 'unsubscribe':
        this.#unsubscribe(frame.data);
        break;
      case 'request':
        this.#request(frame.data);
        break;
    }
  }

  #subscribe(data: SubscribeFrame['data']): void {
    const { connection, isWithholding, limits, topics } = this.#ports;
    const { id } = data;
    const request = withHexes(data, this.#ports.addresses);
    const addresses = request.topic === 'addresses' ? request.addresses.length : 0;
    const topic = topics.of(request.topic);
    if (this.#subscriptions.size >= limits.subscriptions) {
      throw tooMany('too_many_subscriptions', 'subscriptions', limits.subscriptions);
    }
    if (this.#watchedAddresses + addresses > limits.watchedAddresses) {
      throw tooMany('too_many_addresses', 'watched addresses', limits.watchedAddresses);
    }
    const number = this.#freeNumber();
    const subscription = new Subscription(number, request.topic, connection, isWithholding);
    this.#watchedAddresses += addresses;
    this.#send({ type: 'subscribed', data: { id, subscription: number, topic: request.topic } });
    const leave = topic.join(subscription, request);
    this.#subscriptions.set(number, { subscription, addresses, leave });
  }

  /** The lowest free number: numbers stay within the limit, and most clients share the same ones. */
  #freeNumber(): number {
    let number = 1;
    while (this.#subscriptions.has(number)) number++;
    return number;
  }

  #unsubscribe({ id, subscription }: UnsubscribeFrame['data']): void {
    if (!this.#leave(subscription)) {
      throw new Refused('unknown_subscription', `there is no subscription ${subscription}`, {
        path: 'data.subscription',
      });
    }
    this.#send({ type: 'unsubscribed', data: { id, subscription } });
  }

  #leave(number: number): boolean {
    const entry = this.#subscriptions.get(number);
    if (entry === undefined) return false;
    entry.subscription.close();
    entry.leave();
    this.#watchedAddresses -= entry.addresses;
    return this.#subscriptions.delete(number);
  }

  #request({ id, path }: RequestFrame['data']): void {
    const { connection, reads } = this.#ports;
    reads.start(path, connection.client).then(
      (answer) => connection.reply(reads.frameOf(id, answer)),
      (error: unknown) => this.#refuse(id, error),
    );
  }

  /** Answers with a refusal; any other error is a fault of the node and is thrown on. */
  #refuse(id: FrameId | undefined, error: unknown): void {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    const { code, message, path, retryAfterMillis }: Refusal = refusal;
    const data = {
      ...(id === undefined ? {} : { id }),
      code,
      message,
      ...(path === undefined ? {} : { path }),
      ...(retryAfterMillis === undefined ? {} : { retry_after_millis: retryAfterMillis }),
    };
    this.#send({ type: 'error', data });
  }

  #send(frame: ApiServerFrame): void {
    this.#ports.connection.reply(jsonFrame(frame));
  }
}

/** The request with its addresses in hexadecimal, as the ledger has them; an address has two spellings. */
function withHexes(request: SubscribeFrame['data'], addresses: Addresses): SubscribeFrame['data'] {
  if (request.topic !== 'addresses') return request;
  const path = 'data.addresses';
  const hexes = request.addresses.map((text, index) => addresses.hex(text, `${path}[${index}]`));
  if (new Set(hexes).size === hexes.length) return { ...request, addresses: hexes };
  throw new Refused('duplicate_item', 'an address occurs twice', { path });
}

function tooMany(code: ErrorCode, what: string, most: number): Refused {
  return new Refused(code, `the connection may have at most ${most} ${what}`);
}
