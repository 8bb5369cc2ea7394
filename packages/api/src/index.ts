/**
 * svc-api: the contract. A schema and a type for every route and document, and the catalogue of errors.
 * Pure; it knows nothing of servers or sockets.
 */
export {
  AddressChange,
  CutChange,
  CutReference,
  HistoryEvent,
  Outpoint,
  OutpointRequest,
  OutputSource,
  Utxo,
} from './base/references.ts';
export {
  ADDRESSES_MAX,
  CUT_PROOFS_MAX,
  PROOFS_MAX,
  ROWS_MAX,
  SUBMISSIONS_MAX,
  strict,
} from './base/request.ts';
export { type CachingClass, ROUTE_GROUPS, type Route } from './base/route.ts';
export { Millis } from './base/scalars.ts';
export {
  ERROR_CATALOGUE,
  type ErrorCode,
  ErrorDocument,
  errorEntry,
  HTTP_ERRORS,
  isErrorCode,
  SOCKET_ERRORS,
} from './errors.ts';
export {
  CandidateDocument,
  CandidateRequest,
  MINING_EVENTS_PROTOCOL,
  MINING_ROUTES,
  MiningChainDocument,
  MiningEvent,
  type MiningRoute,
  RatesDocument,
  TemplateDocument,
  TemplateRequest,
} from './mining.ts';
export { llmsText } from './openapi/llms-text.ts';
export { openapiDocument, routeErrors } from './openapi/openapi-document.ts';
export {
  AddressBalance,
  AddressBalances,
  AddressChanges,
  AddressChangesRequest,
  AddressesRequest,
  AddressHistory,
  AddressUtxos,
  AddressUtxosBatch,
} from './routes/address.ts';
export { Block, BlocksRecent, RecentBlock, Reward } from './routes/blocks.ts';
export { ChainHead, ChainSeries, SearchResult, type SeriesMetric } from './routes/chain.ts';
export {
  BurnEntry,
  Cut,
  CutCertificate,
  CutChanges,
  CutDetails,
  CutLeaves,
  CutSummary,
  Cuts,
  CutTransactions,
  CutValidators,
  StakePayoutEntry,
  WorkRewardEntry,
} from './routes/cuts.ts';
export { EmissionDocument, StakingEstimateDocument, SupplyDocument } from './routes/economics.ts';
export { MempoolDocument, MempoolPending, PendingTransaction } from './routes/mempool.ts';
export {
  HistoryDocument,
  NodeIdentityDocument,
  StatusDocument,
  SyncDocument,
  TROUBLES,
  TroubleDocument,
  type TroubleName,
  ValidatorStatusDocument,
} from './routes/node.ts';
export {
  AddressProof,
  ProofsChanges,
  ProofsChangesRequest,
  ProofsCuts,
  ProofsCutsRequest,
  ProofsOutcomes,
  ProofsOutcomesRequest,
  ProofsUtxos,
  ProofsUtxosRequest,
  SupplyProof,
} from './routes/proofs.ts';
export { OfferedRoute, OfferedSocket, RouteList, RouteParameter } from './routes/service.ts';
export {
  Attendance,
  Removal,
  StakingPosition,
  StakingPositions,
  StakingValidator,
  StakingValidators,
  ValidatorDetails,
  ValidatorSummary,
} from './routes/staking.ts';
export {
  CutTransaction,
  Failure,
  KeysRegistered,
  Lifecycle,
  RecentTransaction,
  SubmissionReceipt,
  Transaction,
  TransactionReceipt,
  TransactionReceipts,
  TransactionStatus,
  TransactionStatusEntry,
  TransactionSubmission,
  TransactionsManifest,
  TransactionsRecent,
  TransactionsStatus,
  TransactionsStatusRequest,
  TransactionsSubmission,
} from './routes/transactions.ts';
export { ROUTE_LIST, ROUTES, type RouteAnswer, type RouteInput, type RouteName } from './routes.ts';
export { asyncApiDocument } from './sockets/async-api.ts';
export {
  CLIENT_FRAMES,
  type ClientFrame,
  FrameId,
  PingFrame,
  PLAIN_TOPICS,
  type PlainTopic,
  RequestFrame,
  SubscribeFrame,
  TOPICS,
  type TopicName,
  UnsubscribeFrame,
} from './sockets/client-frames.ts';
export {
  ADDRESSES_PER_SUBSCRIPTION_MAX,
  FRAME_ID_CHARACTERS_MAX,
  REPLAY_MILLIS,
  REQUEST_PATH_BYTES_MAX,
  SOCKET_ENDPOINTS,
  SOCKET_LIMITS,
  type SocketEndpoint,
  type SocketLimits,
  type SocketProfile,
} from './sockets/endpoints.ts';
export {
  AddressChanged,
  BlockAccepted,
  ChangedOutput,
  Checkpoint,
  CutEvent,
  CutFinalized,
  CutReward,
  CutStakePayout,
  isFinalStatus,
  RemovalReason,
  RemovedTransaction,
  TOPIC_EVENTS,
  TopicEvent,
} from './sockets/events.ts';
export {
  type ApiServerFrame,
  CheckpointFrame,
  CutFinalizedFrame,
  ErrorFrame,
  HistoryUnavailableFrame,
  NotificationFrame,
  PongFrame,
  RESYNC_REASONS,
  ResponseFrame,
  type ResyncReason,
  SERVER_FRAMES,
  SnapshotFrame,
  type StatusServerFrame,
  SubscribedFrame,
  SubscriptionResyncFrame,
  UnsubscribedFrame,
  UpdateFrame,
} from './sockets/server-frames.ts';
