/**
 * Refusals of the sockets. Those with which a connection is refused have the status of that answer; for
 * refusals in an `error` frame the status says what the same fault would be over HTTP.
 */
import type { CatalogueEntry } from '../errors/catalogue-entry.ts';

export const SOCKET_ERRORS = {
  bad_upgrade: {
    status: 400,
    retry: 'never',
    meaning: 'The request does not open a WebSocket of version 13.',
  },
  subprotocol_required: {
    status: 400,
    retry: 'never',
    meaning: 'The connection does not name the subprotocol of the endpoint.',
    hint: 'Name it in the header Sec-WebSocket-Protocol.',
  },
  too_many_connections: {
    status: 503,
    retry: 'later',
    meaning: 'All sockets are taken, those of this client address or those of the node.',
  },
  unknown_frame: { status: 400, retry: 'never', meaning: 'There is no such type of frame.' },
  unexpected_frame: { status: 400, retry: 'never', meaning: 'This socket takes no frames.' },
  too_many_frames: {
    status: 429,
    retry: 'later',
    meaning: 'The connection sends more frames in a second than are allowed.',
    hint: 'Wait for retry_after_millis; a client that goes on is disconnected.',
  },
  unknown_topic: { status: 400, retry: 'never', meaning: 'There is no such topic.' },
  topic_not_offered: {
    status: 404,
    retry: 'never',
    meaning: 'The topic exists, and this service does not offer it.',
  },
  too_many_subscriptions: {
    status: 429,
    retry: 'later',
    meaning: 'The connection has all the subscriptions that it may have.',
    hint: 'Unsubscribe from another first.',
  },
  too_many_addresses: {
    status: 429,
    retry: 'later',
    meaning: 'The connection watches all the addresses that it may watch.',
    hint: 'Unsubscribe others first, or open a second connection.',
  },
  unknown_subscription: {
    status: 404,
    retry: 'never',
    meaning: 'The connection has no such subscription.',
  },
  bad_path: {
    status: 400,
    retry: 'never',
    meaning: 'The path is not that of a route in its plain form, of at most 1 KiB.',
  },
  too_many_in_flight: {
    status: 429,
    retry: 'later',
    meaning: 'As many requests of the connection wait for an answer as may.',
  },
  answer_too_large: {
    status: 413,
    retry: 'never',
    meaning: 'The answer is larger than a frame may carry.',
    hint: 'Ask for a smaller page, or over HTTP.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

export type SocketErrorCode = keyof typeof SOCKET_ERRORS;
