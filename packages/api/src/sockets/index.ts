/**
 * The contract of the sockets.
 */
export { ASYNC_API_VERSION, asyncApiDocument } from './async-api.ts';
export {
  CLIENT_FRAMES,
  type ClientFrame,
  FrameId,
  PingFrame,
  PLAIN_TOPICS,
  type PlainTopic,
  REQUEST_PATH_PATTERN,
  RequestFrame,
  SubscribeFrame,
  SubscriptionNumber,
  TOPICS,
  type TopicName,
  UnsubscribeFrame,
} from './client-frames.ts';
export { Checkpoint, CutEvent, CutFinalized, CutReward, CutStakePayout } from './cut-events.ts';
export { SOCKET_ENDPOINTS, type SocketEndpoint } from './endpoints.ts';
export { isFinalStatus } from './final-status.ts';
export {
  ADDRESSES_PER_SUBSCRIPTION_MAX,
  FRAME_ID_CHARACTERS_MAX,
  REPLAY_MILLIS,
  REQUEST_PATH_BYTES_MAX,
  SOCKET_LIMITS,
  type SocketLimits,
  type SocketProfile,
} from './limits.ts';
export {
  AddressChanged,
  BlockAccepted,
  ChangedOutput,
  RemovalReason,
  RemovedTransaction,
} from './payment-events.ts';
export {
  type ApiServerFrame,
  CheckpointFrame,
  CutFinalizedFrame,
  ErrorFrame,
  type EventsServerFrame,
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
} from './server-frames.ts';
export { SOCKET_ERRORS, type SocketErrorCode } from './socket-errors.ts';
export { TOPIC_EVENTS, TopicEvent, type TopicEventType } from './topic-events.ts';
