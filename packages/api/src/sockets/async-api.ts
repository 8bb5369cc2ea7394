/**
 * The sockets as an AsyncAPI 3.0 document, made from the schemas that the node and its clients use.
 */
import type { TSchema } from 'typebox';
import { CLIENT_FRAMES } from './client-frames.ts';
import { SOCKET_ENDPOINTS, type SocketEndpoint } from './endpoints.ts';
import { SERVER_FRAMES } from './server-frames.ts';

export const ASYNC_API_VERSION = '3.0.0';

type Node = { readonly [name: string]: unknown };

const ENDPOINTS = Object.keys(SOCKET_ENDPOINTS) as SocketEndpoint[];

const PARAMETERS: Readonly<Partial<Record<SocketEndpoint, Node>>> = {
  status: { id: { description: 'The transaction: 96 lower-case hexadecimal characters.' } },
};

const QUERIES: Readonly<Partial<Record<SocketEndpoint, Node>>> = {
  events: {
    type: 'object',
    properties: {
      after_height: {
        type: 'integer',
        minimum: 0,
        description: 'Replays the cuts above this height, at most one hour back.',
      },
    },
    additionalProperties: false,
  },
};

interface Frame {
  readonly endpoint: SocketEndpoint;
  readonly action: 'send' | 'receive';
  readonly type: string;
  readonly schema: TSchema;
}

/** Directions are those of the node: it receives what clients send. */
function framesOf(endpoint: SocketEndpoint): Frame[] {
  const sent = Object.entries(SERVER_FRAMES[endpoint]).map(
    ([type, schema]): Frame => ({ endpoint, action: 'send', type, schema }),
  );
  if (endpoint !== 'api') return sent;
  const received = Object.entries(CLIENT_FRAMES).map(
    ([type, schema]): Frame => ({ endpoint, action: 'receive', type, schema }),
  );
  return [...received, ...sent];
}

function nameOf({ endpoint, type }: Frame): string {
  return `${endpoint}.${type}`;
}

function channelOf(endpoint: SocketEndpoint): Node {
  const { path, subprotocol, summary } = SOCKET_ENDPOINTS[endpoint];
  const headers = {
    type: 'object',
    required: ['Sec-WebSocket-Protocol'],
    properties: { 'Sec-WebSocket-Protocol': { const: subprotocol } },
  };
  const parameters = PARAMETERS[endpoint];
  const query = QUERIES[endpoint];
  return {
    address: path,
    summary,
    ...(parameters === undefined ? {} : { parameters }),
    messages: Object.fromEntries(
      framesOf(endpoint).map((frame) => [
        frame.type,
        { $ref: `#/components/messages/${nameOf(frame)}` },
      ]),
    ),
    bindings: {
      ws: { method: 'GET', headers, ...(query === undefined ? {} : { query }) },
    },
  };
}

function operationOf(frame: Frame): Node {
  const channel = `#/channels/${frame.endpoint}`;
  return {
    action: frame.action,
    channel: { $ref: channel },
    messages: [{ $ref: `${channel}/messages/${frame.type}` }],
  };
}

function messageOf(frame: Frame): Node {
  return {
    name: frame.type,
    contentType: 'application/json',
    payload: { $ref: `#/components/schemas/${nameOf(frame)}` },
  };
}

export function asyncApiDocument(version: string): Node {
  const frames = ENDPOINTS.flatMap(framesOf);
  const byName = (value: (frame: Frame) => unknown): Node =>
    Object.fromEntries(frames.map((frame) => [nameOf(frame), value(frame)]));
  return {
    asyncapi: ASYNC_API_VERSION,
    info: {
      title: 'svc node sockets',
      version,
      description:
        'JSON text frames `{type, data}`. A binary frame ends the connection. Frames are never signed: ' +
        'what must be provable is read over HTTP.',
    },
    defaultContentType: 'application/json',
    servers: { local: { host: '127.0.0.1:28701', protocol: 'ws' } },
    channels: Object.fromEntries(ENDPOINTS.map((endpoint) => [endpoint, channelOf(endpoint)])),
    operations: byName(operationOf),
    components: { messages: byName(messageOf), schemas: byName(({ schema }) => schema) },
  };
}
