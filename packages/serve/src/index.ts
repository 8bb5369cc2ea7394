/**
 * The HTTP API and the sockets, and the parts of them that other listeners of a node use: refusals, bodies, headers.
 */
export { referenceAt } from './documents/cuts.ts';
export { removalOf } from './documents/validators.ts';
export { commonHeaders, corsHeaders, JSON_MEDIA, NO_STORE } from './http/answers.ts';
export { HttpServer } from './http/http-server.ts';
export { HEADER_BYTES_MAX, HTTP_TIMEOUTS, type HttpOptions } from './http/options.ts';
export {
  BODY_BYTES_MAX,
  bodyHeadersFault,
  readerOf,
  readJsonBody,
} from './http/requests/read-request.ts';
export type { SocketPorts } from './ports.ts';
export {
  answerClientError,
  errorDocument,
  type Refusal,
  Refused,
  refusalOf,
  refuseUpgrade,
} from './refusal.ts';
export { type SocketOptions, SocketServer } from './sockets/socket-server.ts';
