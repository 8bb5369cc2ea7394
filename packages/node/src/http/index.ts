/**
 * The HTTP API of a node.
 */
export { errorDocument, type Refusal, Refused, refusalOf } from './answers/refused.ts';
export { ClientKeys, clientKeyOf, isLoopbackKey } from './guards/client-key.ts';
export { HostGuard } from './guards/host-guard.ts';
export { OriginGuard } from './guards/origin-guard.ts';
export { type HttpProfile, PROFILE_LIMITS } from './guards/profiles.ts';
export { type GuardVerdict, RequestGuard } from './guards/request-guard.ts';
export { HttpServer, type ReadAnswer } from './http-server.ts';
export { IdentityFileError, identityOf, openIdentity } from './identity/identity-file.ts';
export type { HttpOptions } from './options.ts';
