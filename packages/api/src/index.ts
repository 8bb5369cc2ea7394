/**
 * svc-api: the contract. A schema and a type for every route and document, and the catalogue of errors.
 * Pure; it knows nothing of servers or sockets.
 */
export {
  ADDRESSES_MAX,
  CUT_PROOFS_MAX,
  PROOFS_MAX,
  ROWS_MAX,
  STATUSES_MAX,
  SUBMISSIONS_MAX,
} from './base/batch-limits.ts';
export { AddressParams, HeightParams, IdParams } from './base/params.ts';
export {
  batchOf,
  CURSOR_CHARACTERS_MAX,
  Cursor,
  Limit,
  NextCursor,
  type PageSize,
  pageQuery,
  strict,
  versioned,
} from './base/request.ts';
export {
  type BatchLimit,
  type CachingClass,
  defineRoute,
  type MediaType,
  ROUTE_GROUPS,
  type Route,
  type RouteGroup,
  type Weight,
} from './base/route.ts';
export {
  ADDRESS_CHARACTERS_MAX,
  Address,
  ApiVersion,
  Atoms,
  Count,
  FinalizedHeight,
  Height,
  Hex,
  Identifier,
  IndexedHeight,
  Millis,
  OutputIndex,
} from './base/scalars.ts';
export {
  BurnEntry,
  CutDetails,
  CutSummary,
  StakePayoutEntry,
  WorkRewardEntry,
} from './documents/cut.ts';
export { MempoolDocument } from './documents/mempool.ts';
export {
  HistoryDocument,
  StatusDocument,
  SyncDocument,
  TROUBLES,
  TroubleDocument,
  type TroubleName,
  ValidatorStatusDocument,
} from './documents/node.ts';
export { CutTransaction, OutcomeKind, RecentTransaction } from './documents/outcome.ts';
export {
  AddressChange,
  CutChange,
  CutReference,
  HistoryEvent,
  HistoryKind,
  Network,
  Outpoint,
  OutpointRequest,
  OutputSource,
  Utxo,
} from './documents/references.ts';
export { Reward, RewardState } from './documents/reward.ts';
export {
  Failure,
  Lifecycle,
  TransactionStatus,
  TransactionStatusEntry,
} from './documents/transaction-status.ts';
export {
  Attendance,
  Removal,
  ValidatorDetails,
  ValidatorState,
  ValidatorSummary,
} from './documents/validator.ts';
export { BLOCK_ERRORS } from './errors/block-errors.ts';
export { ERROR_CATALOGUE, type ErrorCode, errorEntry, isErrorCode } from './errors/catalogue.ts';
export type { CatalogueEntry, RetryAdvice } from './errors/catalogue-entry.ts';
export { ErrorDocument } from './errors/error-document.ts';
export { FIELD_ERRORS } from './errors/field-errors.ts';
export { HTTP_ERRORS } from './errors/http-errors.ts';
export { TRANSACTION_ERRORS } from './errors/transaction-errors.ts';
export {
  CandidateDocument,
  CandidateRequest,
  MINER_TAG_CHARACTERS_MAX,
  MINING_ERRORS,
  MINING_EVENTS_PROTOCOL,
  MINING_ROUTES,
  MiningChainDocument,
  MiningEvent,
  type MiningRoute,
  RatesDocument,
  TEMPLATE_TRANSACTIONS_MAX,
  TemplateDocument,
  TemplateRequest,
} from './mining/index.ts';
export { llmsText } from './openapi/llms-text.ts';
export { type OpenapiOptions, openapiDocument, routeErrors } from './openapi/openapi-document.ts';
export { AddressBalance, addressBalance } from './routes/address-balance.ts';
export { AddressBalances, AddressesRequest, addressBalances } from './routes/address-balances.ts';
export { AddressChanges, AddressChangesRequest, addressChanges } from './routes/address-changes.ts';
export { AddressHistory, addressHistory } from './routes/address-history.ts';
export { AddressProof, addressProof } from './routes/address-proof.ts';
export { AddressUtxos, addressUtxos } from './routes/address-utxos.ts';
export { AddressUtxosBatch, addressUtxosBatch } from './routes/address-utxos-batch.ts';
export { Block, block } from './routes/block.ts';
export { BlocksRecent, blocksRecent, RecentBlock } from './routes/blocks-recent.ts';
export { ChainHead, chainHead } from './routes/chain-head.ts';
export { chainRates } from './routes/chain-rates.ts';
export {
  ChainSeries,
  chainSeries,
  SERIES_METRICS,
  type SeriesMetric,
} from './routes/chain-series.ts';
export { Cut, cut } from './routes/cut.ts';
export { CutCertificate, cutCertificate } from './routes/cut-certificate.ts';
export { CutChanges, cutChanges } from './routes/cut-changes.ts';
export { CutLeaves, cutLeaves } from './routes/cut-leaves.ts';
export { CutTransactions, cutTransactions } from './routes/cut-transactions.ts';
export { CutValidators, cutValidators } from './routes/cut-validators.ts';
export { Cuts, type CutsQuery, cuts } from './routes/cuts.ts';
export { asyncapiJson, llmsFullTxt, llmsTxt, openapiJson } from './routes/descriptions.ts';
export { EmissionDocument, economicsEmission } from './routes/economics-emission.ts';
export {
  economicsEstimateStaking,
  StakingEstimateDocument,
} from './routes/economics-estimate-staking.ts';
export { economicsSupply, SupplyDocument } from './routes/economics-supply.ts';
export { economicsSupplyProof, SupplyProof } from './routes/economics-supply-proof.ts';
export {
  CoinsText,
  economicsSupplyCirculating,
  economicsSupplyMax,
  economicsSupplyTotal,
} from './routes/economics-supply-text.ts';
export { health } from './routes/health.ts';
export { KeysRegistered, keysRegistered } from './routes/keys-registered.ts';
export { mempool } from './routes/mempool.ts';
export { MempoolPending, mempoolPending, PendingTransaction } from './routes/mempool-pending.ts';
export { NodeIdentityDocument, nodeIdentity } from './routes/node-identity.ts';
export { nodeStatus } from './routes/node-status.ts';
export { nodeSync } from './routes/node-sync.ts';
export { ProofsChanges, ProofsChangesRequest, proofsChanges } from './routes/proofs-changes.ts';
export { ProofsCuts, ProofsCutsRequest, proofsCuts } from './routes/proofs-cuts.ts';
export {
  ProofsOutcomes,
  ProofsOutcomesRequest,
  proofsOutcomes,
} from './routes/proofs-outcomes.ts';
export { ProofsUtxos, ProofsUtxosRequest, proofsUtxos } from './routes/proofs-utxos.ts';
export { ready } from './routes/ready.ts';
export { OfferedRoute, OfferedSocket, RouteList, RouteParameter, root } from './routes/root.ts';
export { SEARCH_CHARACTERS_MAX, SearchResult, search } from './routes/search.ts';
export { StakingPosition, StakingPositions, stakingPositions } from './routes/staking-positions.ts';
export { EPOCHS_MAX, StakingValidator, stakingValidator } from './routes/staking-validator.ts';
export { StakingValidators, stakingValidators } from './routes/staking-validators.ts';
export { Transaction, transaction } from './routes/transaction.ts';
export { transactionStatus } from './routes/transaction-status.ts';
export {
  TransactionReceipt,
  TransactionSubmission,
  transactionSubmit,
} from './routes/transaction-submit.ts';
export { TransactionsManifest, transactionsManifest } from './routes/transactions-manifest.ts';
export { TransactionsRecent, transactionsRecent } from './routes/transactions-recent.ts';
export {
  TransactionsStatus,
  TransactionsStatusRequest,
  transactionsStatus,
} from './routes/transactions-status.ts';
export {
  SubmissionReceipt,
  TransactionReceipts,
  TransactionsSubmission,
  transactionsSubmit,
} from './routes/transactions-submit.ts';
export {
  ROUTE_LIST,
  ROUTES,
  type RouteAnswer,
  type RouteInput,
  type RouteName,
} from './routes.ts';
export {
  ADDRESSES_PER_SUBSCRIPTION_MAX,
  AddressChanged,
  type ApiServerFrame,
  ASYNC_API_VERSION,
  asyncApiDocument,
  BlockAccepted,
  ChangedOutput,
  Checkpoint,
  CheckpointFrame,
  CLIENT_FRAMES,
  type ClientFrame,
  CutEvent,
  CutFinalized,
  CutFinalizedFrame,
  CutReward,
  CutStakePayout,
  ErrorFrame,
  type EventsServerFrame,
  FRAME_ID_CHARACTERS_MAX,
  FrameId,
  HistoryUnavailableFrame,
  isFinalStatus,
  NotificationFrame,
  PingFrame,
  PLAIN_TOPICS,
  type PlainTopic,
  PongFrame,
  REPLAY_MILLIS,
  REQUEST_PATH_BYTES_MAX,
  REQUEST_PATH_PATTERN,
  RESYNC_REASONS,
  RemovalReason,
  RemovedTransaction,
  RequestFrame,
  ResponseFrame,
  type ResyncReason,
  SERVER_FRAMES,
  SnapshotFrame,
  SOCKET_ENDPOINTS,
  SOCKET_ERRORS,
  SOCKET_LIMITS,
  type SocketEndpoint,
  type SocketErrorCode,
  type SocketLimits,
  type SocketProfile,
  type StatusServerFrame,
  SubscribedFrame,
  SubscribeFrame,
  SubscriptionNumber,
  SubscriptionResyncFrame,
  TOPIC_EVENTS,
  TOPICS,
  TopicEvent,
  type TopicEventType,
  type TopicName,
  UnsubscribedFrame,
  UnsubscribeFrame,
  UpdateFrame,
} from './sockets/index.ts';
