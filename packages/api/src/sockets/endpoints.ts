/**
 * The WebSocket endpoints of a node. A client names the subprotocol when it connects; the version is in it.
 */
export const SOCKET_ENDPOINTS = {
  events: {
    path: '/v1/events',
    subprotocol: 'svc.node-events.v1',
    summary: 'Every finalized cut, in order, from a height within the last hour on.',
  },
  api: {
    path: '/v1/ws',
    subprotocol: 'svc.node-api.v1',
    summary: 'Subscriptions by topic, and reads of any GET route.',
  },
  status: {
    path: '/v1/transactions/{id}/status/stream',
    subprotocol: 'svc.transaction-status.v1',
    summary: 'The status of one transaction until it is final.',
  },
} as const;

export type SocketEndpoint = keyof typeof SOCKET_ENDPOINTS;
