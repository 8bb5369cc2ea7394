/**
 * The HTTP API and the sockets, and the parts of them that other listeners of a node use: refusals, bodies, headers.
 */
export { referenceAt } from './documents/cuts.ts';
export { removalOf } from './documents/validators.ts';
export { commonHeaders, corsHeaders, JSON_MEDIA, NO_STORE } from './http/answers/headers.ts';
export { HttpServer } from './http/http-server.ts';
export { HEADER_BYTES_MAX, HTTP_TIMEOUTS, type HttpOptions } from './http/options.ts';
export { BODY_BYTES_MAX, bodyHeadersFault, readJsonBody } from './http/requests/bodies.ts';
export { readerOf } from './http/requests/reader.ts';
export { answerClientError, refuseUpgrade } from './refusal/raw-refusal.ts';
export { errorDocument, type Refusal, Refused, refusalOf } from './refusal/refused.ts';
export type { SocketPorts } from './sockets/ports.ts';
export { type SocketOptions, SocketServer } from './sockets/socket-server.ts';
