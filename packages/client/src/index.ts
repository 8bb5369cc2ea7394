/**
 * svc-client: a typed client of a node and of a wallet daemon, for Node and browsers.
 */
export { type Client, type ClientOptions, createClient } from './client.ts';
export { ClientError, type ClientErrorKind, isBusy } from './client-error.ts';
export type { FollowOptions } from './follow-addresses.ts';
export type { RetryPolicy } from './http/retry.ts';
export {
  LightClient,
  type LightClientOptions,
  type LightClientRoutes,
  trustCut,
} from './light-client.ts';
export type { AnswerOf, CallOptions, InputOf, RouteCalls } from './routes/route-types.ts';
export type { ApiSocket, ApiSocketOptions, Listener, Topic } from './sockets/api-socket.ts';
export type { CutEventsOptions, CutStreamEvent } from './sockets/cut-events.ts';
export type { WebSocketConstructor, WebSocketLike } from './sockets/reconnect.ts';
export type { Submission, SubmissionOutcome } from './submit.ts';
export { isFinal, type WaitOptions } from './wait-final.ts';
export type { FollowDepositsOptions } from './wallet/follow-deposits.ts';
export {
  createWalletClient,
  type WalletClient,
  type WalletClientOptions,
} from './wallet/wallet-client.ts';
export { WalletRpcError } from './wallet/wallet-rpc-error.ts';
