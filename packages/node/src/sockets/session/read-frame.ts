/**
 * Reads a frame that a client sent on `/v1/ws`: strictly, as the schemas of `svc-api` say, with a message
 * that names the field.
 */
import {
  ADDRESSES_PER_SUBSCRIPTION_MAX,
  FRAME_ID_CHARACTERS_MAX,
  type FrameId,
  type PlainTopic,
  REQUEST_PATH_BYTES_MAX,
  REQUEST_PATH_PATTERN,
  SOCKET_LIMITS,
  TOPICS,
} from 'svc-api';
import { Fields, type Json, kindOf, parseJson, toHex } from 'svc-wasm/base';
import type { Addresses } from '../../documents/addresses.ts';
import { Refused } from '../../refusal/refused.ts';

export type TopicRequest =
  | { readonly topic: PlainTopic }
  | { readonly topic: 'transaction'; readonly transactionId: string }
  | { readonly topic: 'addresses'; readonly addresses: readonly string[] };

export type Command =
  | { readonly type: 'subscribe'; readonly id: FrameId; readonly request: TopicRequest }
  | { readonly type: 'unsubscribe'; readonly id: FrameId; readonly subscription: number }
  | { readonly type: 'request'; readonly id: FrameId; readonly path: string }
  | { readonly type: 'ping'; readonly id: FrameId };

export interface Envelope {
  readonly type: string;
  /** The id for the answer; undefined if the frame has no usable one. */
  readonly id: FrameId | undefined;
  readonly data: Json;
}

const REQUEST_PATH = new RegExp(REQUEST_PATH_PATTERN);
const SUBSCRIBE_FIELDS = {
  plain: ['id', 'topic'],
  transaction: ['id', 'topic', 'transaction_id'],
  addresses: ['id', 'topic', 'addresses'],
} as const;

/**
 * The strict reader of JSON is slow for texts of thousands of values, 10 ms for 64 KiB. The largest frame,
 * with 64 addresses, has some 140 of these characters.
 */
const STRUCTURE_MAX = 512;
const STRUCTURE = /[,:[{\\]/g;

function expectFewValues(text: string): void {
  STRUCTURE.lastIndex = 0;
  for (let found = 0; STRUCTURE.test(text); found++) {
    if (found < STRUCTURE_MAX) continue;
    throw new Refused('bad_json', 'expected fewer values and escapes: no frame has so many');
  }
}

export function readEnvelope(text: string): Envelope {
  expectFewValues(text);
  const frame = new Fields(parseJson(text), '', ['type', 'data']);
  const type = frame.string('type');
  const data = frame.value('data');
  return { type, id: idOf(data), data };
}

function idOf(data: Json): FrameId | undefined {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined;
  const { id } = data;
  if (typeof id === 'number') return id;
  return typeof id === 'string' && isIdText(id) ? id : undefined;
}

function isIdText(id: string): boolean {
  return id.length >= 1 && id.length <= FRAME_ID_CHARACTERS_MAX;
}

export function readCommand({ type, data }: Envelope, addresses: Addresses): Command {
  switch (type) {
    case 'subscribe':
      return readSubscribe(data, addresses);
    case 'unsubscribe': {
      const fields = new Fields(data, 'data', ['id', 'subscription']);
      return { type, id: readId(fields), subscription: readSubscription(fields) };
    }
    case 'request': {
      const fields = new Fields(data, 'data', ['id', 'path']);
      return { type, id: readId(fields), path: readPath(fields) };
    }
    case 'ping':
      return { type, id: readId(new Fields(data, 'data', ['id'])) };
    default:
      throw new Refused('unknown_frame', 'expected subscribe, unsubscribe, request or ping', {
        path: 'type',
      });
  }
}

function readId(fields: Fields): FrameId {
  const id = fields.value('id');
  if (typeof id === 'number' || (typeof id === 'string' && isIdText(id))) return id;
  const expected = `expected a whole number or a string of 1 to ${FRAME_ID_CHARACTERS_MAX} characters`;
  throw new Refused('bad_value', expected, { path: fields.at('id') });
}

function readSubscription(fields: Fields): number {
  const value = fields.value('subscription');
  const most = SOCKET_LIMITS.node.subscriptions;
  if (typeof value === 'number' && value >= 1 && value <= most) return value;
  throw new Refused('bad_value', `expected the number of a subscription, 1 to ${most}`, {
    path: fields.at('subscription'),
  });
}

function readPath(fields: Fields): string {
  const path = fields.string('path', Number.POSITIVE_INFINITY);
  if (path.length <= REQUEST_PATH_BYTES_MAX && REQUEST_PATH.test(path)) return path;
  const most = `expected a path of at most ${REQUEST_PATH_BYTES_MAX} bytes`;
  throw new Refused('bad_path', `${most}, without host, // or dots`, { path: fields.at('path') });
}

function readSubscribe(data: Json, addresses: Addresses): Command {
  const topic = topicOf(data);
  if (topic === 'transaction') {
    const fields = new Fields(data, 'data', SUBSCRIBE_FIELDS.transaction);
    const transactionId = toHex(fields.hex('transaction_id', 48));
    return { type: 'subscribe', id: readId(fields), request: { topic, transactionId } };
  }
  if (topic === 'addresses') {
    const fields = new Fields(data, 'data', SUBSCRIBE_FIELDS.addresses);
    const id = readId(fields);
    return {
      type: 'subscribe',
      id,
      request: { topic, addresses: readAddresses(fields, addresses) },
    };
  }
  const fields = new Fields(data, 'data', SUBSCRIBE_FIELDS.plain);
  return { type: 'subscribe', id: readId(fields), request: { topic } };
}

function topicOf(data: Json): (typeof TOPICS)[number] {
  const everything = [...SUBSCRIBE_FIELDS.addresses, 'transaction_id'];
  const found = new Fields(data, 'data', everything).string('topic');
  const topic = TOPICS.find((name) => name === found);
  if (topic !== undefined) return topic;
  throw new Refused('unknown_topic', `expected one of ${TOPICS.join(', ')}`, {
    path: 'data.topic',
  });
}

function readAddresses(fields: Fields, addresses: Addresses): string[] {
  const path = fields.at('addresses');
  const texts = fields.array('addresses', Number.POSITIVE_INFINITY);
  if (texts.length < 1) throw new Refused('too_few_items', 'expected an address', { path });
  if (texts.length > ADDRESSES_PER_SUBSCRIPTION_MAX) {
    const found = `expected at most ${ADDRESSES_PER_SUBSCRIPTION_MAX}, found ${texts.length}`;
    throw new Refused('too_many_items', found, { path });
  }
  const hexes = texts.map((text, index) => readAddress(text, `${path}[${index}]`, addresses));
  if (new Set(hexes).size === hexes.length) return hexes;
  throw new Refused('duplicate_item', 'an address occurs twice', { path });
}

function readAddress(text: Json, path: string, addresses: Addresses): string {
  if (typeof text === 'string') return addresses.hex(text, path);
  throw new Refused('bad_type', `expected an address, found ${kindOf(text)}`, { path });
}
