/**
 * The server that listens: limits of the parser and of time. How long an answer may take to be read is counted
 * where it is sent.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { FastLane } from './fast-lane.ts';
import { HEADER_BYTES_MAX, type HttpTimeouts, REQUESTS_PER_SOCKET } from './options.ts';

export function createHttpServer(
  lane: FastLane,
  otherwise: RequestListener,
  timeouts: HttpTimeouts,
): Server {
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      keepAliveTimeout: timeouts.keepAlive,
      connectionsCheckingInterval: timeouts.checkingInterval,
      /** Whoever offers HTTP/2 gets an ordinary answer. */
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    (request, response) => {
      if (!lane.take(request, response)) otherwise(request, response);
    },
  );
  server.maxRequestsPerSocket = REQUESTS_PER_SOCKET;
  return server;
}
