/**
 * Errors of the transport: what was asked cannot be read, is not there, or not now.
 */
import type { CatalogueEntry } from './catalogue-entry.ts';

export const HTTP_ERRORS = {
  bad_request: {
    status: 400,
    retry: 'never',
    meaning: 'The request is not HTTP/1.1 as this server reads it.',
  },
  bad_target: {
    status: 400,
    retry: 'never',
    meaning: 'The path or query is not in its one plain form.',
    hint: 'Send the path as listed at /, without //, dots, or escapes that are not needed.',
  },
  duplicate_parameter: {
    status: 400,
    retry: 'never',
    meaning: 'A query parameter occurs twice.',
  },
  bad_cursor: {
    status: 400,
    retry: 'never',
    meaning: 'The cursor is not one that this route gave for this query.',
    hint: 'Start again without a cursor.',
  },
  bad_nonce: {
    status: 400,
    retry: 'never',
    meaning: 'The header x-svc-request-nonce is not 64 hexadecimal characters.',
  },
  host_not_allowed: {
    status: 403,
    retry: 'never',
    meaning: 'The Host header names no host that this node serves.',
    hint: 'Add the name to the hosts in the configuration of the node.',
  },
  origin_not_allowed: {
    status: 403,
    retry: 'never',
    meaning: 'The web page comes from an origin that the operator has not admitted.',
    hint: 'Start the node with --browser-origin and this origin.',
  },
  unknown_route: {
    status: 404,
    retry: 'never',
    meaning: 'There is no such route.',
    hint: 'GET / lists the routes offered.',
  },
  not_found: { status: 404, retry: 'never', meaning: 'What was asked for is not known here.' },
  not_yet: {
    status: 404,
    retry: 'later',
    meaning: 'The height is above the finalized head of this node.',
  },
  not_kept: {
    status: 404,
    retry: 'never',
    meaning: 'This node does not keep data that old.',
    hint: 'Ask a node with archive storage.',
  },
  method_not_allowed: {
    status: 405,
    retry: 'never',
    meaning: 'The route has another method; the Allow header names it.',
  },
  request_timeout: { status: 408, retry: 'later', meaning: 'The request did not arrive in time.' },
  body_too_large: {
    status: 413,
    retry: 'never',
    meaning: 'The body is larger than 128 KiB.',
    hint: 'Send fewer items in one request.',
  },
  unsupported_media_type: {
    status: 415,
    retry: 'never',
    meaning:
      'The body is not application/json in UTF-8, nor bytes where the route takes them, or it is compressed.',
  },
  headers_too_large: { status: 431, retry: 'never', meaning: 'The headers are too large.' },
  too_many_requests: {
    status: 429,
    retry: 'later',
    meaning: 'The client address is over its request rate.',
    hint: 'Wait for retry_after_millis; batch routes cost less than many single reads.',
  },
  blocked: {
    status: 429,
    retry: 'later',
    meaning: 'The client address went on over its rate and is blocked for a while.',
  },
  internal_error: { status: 500, retry: 'later', meaning: 'The node failed to answer.' },
  unavailable: { status: 503, retry: 'later', meaning: 'The node cannot answer now.' },
  overloaded: { status: 503, retry: 'later', meaning: 'The node has too much to do.' },
  not_synced: {
    status: 503,
    retry: 'later',
    meaning: 'The node is behind the network and cannot judge this yet.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
