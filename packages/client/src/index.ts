/**
 * svc-client: a typed client of a node and of a wallet daemon, for Node and browsers.
 */
export { Account, type AccountOptions, coins } from './actions/account.ts';
export {
  type Chat,
  type ChatMessage,
  createMessenger,
  type Messenger,
  type UncheckedPayment,
} from './actions/messenger.ts';
export {
  createMultisig,
  type Multisig,
  type MultisigPayment,
  proposeMultisig,
  reviewMultisig,
  signMultisig,
  submitMultisig,
} from './actions/multisig.ts';
export {
  type Paid,
  type PayloadPayment,
  type PayOptions,
  pay,
  payWithPayload,
} from './actions/pay.ts';
export {
  type Balance,
  balance,
  history,
  type Movement,
  type WatchOptions,
  watchAddress,
} from './actions/read.ts';
export {
  type InspectedTransaction,
  readInspected,
  readSpentOutputs,
  type SendersUnknown,
  type SpentOutput,
} from './actions/signed-transaction.ts';
export { type Client, type ClientOptions, createClient, type FurtherNode } from './client.ts';
export { ClientError, type ClientErrorKind, isBusy } from './client-error.ts';
export type { FollowOptions } from './follow-addresses.ts';
export type { RetryPolicy } from './http/retry.ts';
export {
  LightWallet,
  type LightWalletOptions,
  type ProvenBalance,
  type ProvenTransaction,
} from './light/light-wallet.ts';
export { indexedDbStore, memoryStore, type TrustStore } from './light/trust-store.ts';
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
