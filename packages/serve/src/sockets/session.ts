/**
 * One client of `/v1/ws`: frames in, subscriptions and reads, within the limits of a connection.
 */
import {
  type ApiServerFrame,
  CLIENT_FRAMES,
  type ClientFrame,
  type ErrorCode,
  FRAME_ID_CHARACTERS_MAX,
  FrameId,
  REQUEST_PATH_BYTES_MAX,
  type RequestFrame,
  SOCKET_LIMITS,
  type SocketLimits,
  SubscribeFrame,
  strict,
  TOPICS,
  type UnsubscribeFrame,
} from 'svc-api';
import { faultOf } from 'svc-api/check';
import type { Clock, Log } from 'svc-base/pure';
import { parseJson } from 'svc-wasm/base';
import { type TSchema, Type } from 'typebox';
import type { Addresses } from '../documents/addresses.ts';
import type { ReadAnswer, ReadPort } from '../ports.ts';
import { expectFit, type Refusal, Refused, refusalOf } from '../refusal.ts';
import { type Connection, type ConnectionHandler, jsonFrame, textFrame } from './connection.ts';
import { Subscription, type SubscriptionResync } from './fanout.ts';
import type { Topics } from './topics.ts';

interface Envelope {
  readonly type: string;
  /** The id for the answer; undefined if the frame has no usable one. */
  readonly id: FrameId | undefined;
  readonly data: unknown;
}

const ENVELOPE = strict({ type: Type.String(), data: Type.Unknown() });

/**
 * The strict reader of JSON is slow for texts of thousands of values, 10 ms for 64 KiB. The largest frame,
 * with 64 addresses, has some 140 of these characters.
 */
const STRUCTURE_MAX = 512;
const STRUCTURE = /[,:[{\\]/g;

/**
 * Reads a frame that a client sent on `/v1/ws` against the schema of its type. Its id is read first: the refusal of a frame
 * carries the id if the frame has a usable one.
 */
function expectFewValues(text: string): void {
  STRUCTURE.lastIndex = 0;
  for (let found = 0; STRUCTURE.test(text); found++) {
    if (found < STRUCTURE_MAX) continue;
    throw new Refused('bad_json', 'expected fewer values and escapes: no frame has so many');
  }
}

export function readEnvelope(text: string): Envelope {
  expectFewValues(text);
  const frame: unknown = parseJson(text);
  expectFit(ENVELOPE, frame);
  const { type, data } = frame as Omit<Envelope, 'id'>;
  const { id } = (data ?? {}) as { readonly id?: unknown };
  return { type, data, id: faultOf(FrameId, id) === undefined ? (id as FrameId) : undefined };
}

export function readFrame({ type, data }: Envelope): ClientFrame {
  const frame: unknown = { type, data };
  const fault = faultOf(schemaOf(type, data), frame);
  if (fault === undefined) return frame as ClientFrame;
  const { path } = fault;
  const isThere = fault.code !== 'missing_field' && fault.code !== 'unknown_field';
  const [code, message] = (isThere ? FIELD_FAULTS[path] : undefined) ?? [fault.code, fault.message];
  throw new Refused(code, message, { path });
}

function schemaOf(type: string, data: unknown): TSchema {
  if (type === 'subscribe') {
    const { topic } = (data ?? {}) as { readonly topic?: unknown };
    const [plain, transaction, addresses] = SubscribeFrame.anyOf;
    return topic === 'transaction' ? transaction : topic === 'addresses' ? addresses : plain;
  }
  if (Object.hasOwn(CLIENT_FRAMES, type)) return CLIENT_FRAMES[type as keyof typeof CLIENT_FRAMES];
  const expected = Object.keys(CLIENT_FRAMES).join(', ');
  throw new Refused('unknown_frame', `expected one of ${expected}`, { path: 'type' });
}

/** Refusals of fields that say more than the keyword of the schema which was not met. */
const FIELD_FAULTS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  'data.id': [
    'bad_value',
    `expected a whole number or a string of 1 to ${FRAME_ID_CHARACTERS_MAX} characters`,
  ],
  'data.subscription': [
    'bad_value',
    `expected the number of a subscription, 1 to ${SOCKET_LIMITS.node.subscriptions}`,
  ],
  'data.path': [
    'bad_path',
    `expected a path of at most ${REQUEST_PATH_BYTES_MAX} bytes, without host, // or dots`,
  ],
  'data.topic': ['unknown_topic', `expected one of ${TOPICS.join(', ')}`],
};

const ANSWER_MILLIS_MAX = 10_000;
const END = Buffer.from('}}');

interface ReadsPorts {
  readonly read: ReadPort;
  readonly limits: SocketLimits;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The reads of one connection: answered by the HTTP API, a few at a time, each within a size and a time.
 */
export class Reads {
  readonly #ports: ReadsPorts;
  #inFlight = 0;

  constructor(ports: ReadsPorts) {
    this.#ports = ports;
  }

  async start(path: string, client: string): Promise<ReadAnswer> {
    const { limits } = this.#ports;
    if (this.#inFlight >= limits.requestsInFlight) {
      const message = `at most ${limits.requestsInFlight} requests may wait for an answer`;
      throw new Refused('too_many_in_flight', message);
    }
    this.#inFlight++;
    try {
      return await this.#answer(path, client);
    } finally {
      this.#inFlight--;
    }
  }

  async #answer(path: string, client: string): Promise<ReadAnswer> {
    const { clock, limits, log, read } = this.#ports;
    const late = Promise.withResolvers<never>();
    const cancel = clock.after(ANSWER_MILLIS_MAX, () =>
      late.reject(new Refused('overloaded', 'the answer was not ready in time')),
    );
    try {
      const answer = await Promise.race([read(path, client), late.promise]);
      const bytes = Buffer.byteLength(answer.body);
      if (bytes <= limits.answerBytes) return answer;
      const message = `the answer has ${bytes} bytes, at most ${limits.answerBytes} are sent`;
      throw new Refused('answer_too_large', message);
    } catch (error) {
      if (error instanceof Refused) throw error;
      log.error({ path, error: String(error) }, 'a read for a socket failed');
      throw new Refused('internal_error', 'the node failed to answer');
    } finally {
      cancel();
    }
  }

  /** The frame of an answer; its body is JSON text already and is copied as it is. */
  frameOf(id: FrameId, { status, body }: ReadAnswer): Buffer {
    const start = `{"type":"response","data":{"id":${JSON.stringify(id)},"status":${status},"body":`;
    return textFrame(Buffer.from(start), Buffer.from(body), END);
  }
}

interface SessionPorts {
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

/**
 * One client of `/v1/ws`: its subscriptions and its reads, within the limits of a connection.
 */
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
