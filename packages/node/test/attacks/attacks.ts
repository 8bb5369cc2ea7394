/**
 * What attackers send: a listener, the words of each connection, and when the words come again. Every attack runs from
 * one address, keeps so many connections open, and opens another one for each that was ended.
 */
import { SOCKET_ENDPOINTS } from 'svc-api';

export type Listener = 'http' | 'mining' | 'metrics';

export interface Attack {
  readonly listener: Listener;
  /** What a connection sends at once when it is open; nothing for a connection that only waits. */
  readonly words: string;
  /** Sends the words again after each answer that came. */
  readonly repeats?: boolean;
  /** Leaves everything unread that the node sends. */
  readonly readsNothing?: boolean;
}

const HOST = 'Host: localhost\r\n';

function get(target: string, headers = HOST): string {
  return `GET ${target} HTTP/1.1\r\n${headers}\r\n`;
}

/** A text frame of a client, masked with zeros. */
function frame(document: object): string {
  const text = JSON.stringify(document);
  if (text.length > 125) throw new Error('the frame is too long for one byte of length');
  return `${String.fromCharCode(0x81, 0x80 | text.length)}\0\0\0\0${text}`;
}

const { path: SOCKET_PATH, subprotocol } = SOCKET_ENDPOINTS.api;
const UPGRADE = [
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  `Sec-WebSocket-Protocol: ${subprotocol}`,
  '',
].join('\r\n');
const FRAMES = Array.from({ length: 20 }, (_, id) =>
  frame({ type: 'request', data: { id, path: '/v1/cuts?limit=100' } }),
).join('');

export const ATTACKS = {
  'unfinished bodies': {
    listener: 'http',
    words: `POST /v1/transactions HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
  },
  'idle connections': { listener: 'http', words: '' },
  'idle connections, metrics': { listener: 'metrics', words: '' },
  'idle connections, mining': { listener: 'mining', words: '' },
  pipelining: { listener: 'http', words: get('/v1/chain/head').repeat(1_000) },
  'no Host': { listener: 'http', words: get('/v1/chain/head', ''), repeats: true },
  'odd Expect': {
    listener: 'http',
    words: get('/v1/chain/head', `${HOST}Expect: nonsense\r\n`),
    repeats: true,
  },
  'answers unread': {
    listener: 'http',
    words: get('/v1/cuts?limit=100').repeat(100),
    readsNothing: true,
  },
  'sockets unread': {
    listener: 'http',
    words: get(SOCKET_PATH, UPGRADE) + FRAMES,
    readsNothing: true,
  },
  'expensive reads': { listener: 'http', words: get('/v1/cuts?limit=100'), repeats: true },
} as const satisfies Readonly<Record<string, Attack>>;

export type AttackName = keyof typeof ATTACKS;
