/**
 * Frames that a client sends on `/v1/ws`. The other sockets take none.
 */
import { type Static, type TProperties, Type } from 'typebox';
import { strict } from '../base/request.ts';
import { Address, Identifier } from '../base/scalars.ts';
import {
  ADDRESSES_PER_SUBSCRIPTION_MAX,
  FRAME_ID_CHARACTERS_MAX,
  REQUEST_PATH_BYTES_MAX,
  SOCKET_LIMITS,
} from './endpoints.ts';

export const FrameId = Type.Union(
  [
    Type.String({ minLength: 1, maxLength: FRAME_ID_CHARACTERS_MAX }),
    Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  ],
  { description: 'Chosen by the client; the answer carries it.' },
);
export type FrameId = Static<typeof FrameId>;

export const SubscriptionNumber = Type.Integer({
  minimum: 1,
  maximum: SOCKET_LIMITS.node.subscriptions,
  description: 'Names a subscription of this connection. Free again once it was unsubscribed.',
});

function frame<const T extends string, P extends TProperties>(type: T, data: P) {
  return strict({ type: Type.Literal(type), data: strict({ id: FrameId, ...data }) });
}

/** Topics whose subscription takes nothing but the topic. */
export const PLAIN_TOPICS = [
  'cuts',
  'blocks',
  'mempool',
  'rates',
  'sync',
  'mempool_transactions',
] as const;
export type PlainTopic = (typeof PLAIN_TOPICS)[number];

export const TOPICS = [...PLAIN_TOPICS, 'transaction', 'addresses'] as const;
export type TopicName = (typeof TOPICS)[number];

export const SubscribeFrame = Type.Union([
  frame('subscribe', { topic: Type.Enum([...PLAIN_TOPICS]) }),
  frame('subscribe', { topic: Type.Literal('transaction'), transaction_id: Identifier }),
  frame('subscribe', {
    topic: Type.Literal('addresses'),
    addresses: Type.Array(Address, {
      minItems: 1,
      maxItems: ADDRESSES_PER_SUBSCRIPTION_MAX,
      uniqueItems: true,
    }),
  }),
]);
export type SubscribeFrame = Static<typeof SubscribeFrame>;

export const UnsubscribeFrame = frame('unsubscribe', { subscription: SubscriptionNumber });
export type UnsubscribeFrame = Static<typeof UnsubscribeFrame>;

/** One slash first, no empty segment, no dots, nothing that would have to be escaped; no room for a host. */
export const REQUEST_PATH_PATTERN =
  "^(?!.*/\\.\\.?(?:[/?]|$))/(?:[A-Za-z0-9._~%!$&'()*+,;=:@?-]+(?:/[A-Za-z0-9._~%!$&'()*+,;=:@?-]+)*)?$";

export const RequestFrame = frame('request', {
  path: Type.String({
    maxLength: REQUEST_PATH_BYTES_MAX,
    pattern: REQUEST_PATH_PATTERN,
    description: 'Path and query of a GET route, as it would stand in an HTTP request.',
  }),
});
export type RequestFrame = Static<typeof RequestFrame>;

export const PingFrame = frame('ping', {});
export type PingFrame = Static<typeof PingFrame>;

export const CLIENT_FRAMES = {
  subscribe: SubscribeFrame,
  unsubscribe: UnsubscribeFrame,
  request: RequestFrame,
  ping: PingFrame,
} as const;

export type ClientFrame = SubscribeFrame | UnsubscribeFrame | RequestFrame | PingFrame;
