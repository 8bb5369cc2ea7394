/**
 * Frames that the node sends. Every one is `{type, data}` as JSON text.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { TransactionStatus } from '../routes/transactions.ts';
import { FrameId, SubscriptionNumber, TOPICS } from './client-frames.ts';
import { Checkpoint, CutFinalized, TopicEvent } from './events.ts';

function frame<const T extends string, D extends TSchema>(type: T, data: D) {
  return Type.Object({ type: Type.Literal(type), data });
}

export const RESYNC_REASONS = {
  stream_lagged: 'The client read too slowly, and events were dropped.',
  stream_restarted: 'The source of the events restarted.',
  history_unavailable: '`after_height` is older than the replay reaches.',
} as const;
export type ResyncReason = keyof typeof RESYNC_REASONS;

export const SubscribedFrame = frame(
  'subscribed',
  Type.Object({ id: FrameId, subscription: SubscriptionNumber, topic: Type.Enum([...TOPICS]) }),
);
export const UnsubscribedFrame = frame(
  'unsubscribed',
  Type.Object({ id: FrameId, subscription: SubscriptionNumber }),
);
export const PongFrame = frame('pong', Type.Object({ id: FrameId }));
export const ResponseFrame = frame(
  'response',
  Type.Object({
    id: FrameId,
    status: Type.Integer({ minimum: 100, maximum: 599, description: 'The HTTP status.' }),
    body: Type.Unknown({ description: 'The document that the route answers with.' }),
  }),
);
export const NotificationFrame = frame(
  'notification',
  Type.Object({ subscription: SubscriptionNumber, event: TopicEvent }),
);
/** The subscription stays open; the client reads the current state over HTTP. */
export const SubscriptionResyncFrame = frame(
  'resync_required',
  Type.Object({
    subscription: SubscriptionNumber,
    reason: Type.Enum(['stream_lagged', 'stream_restarted']),
  }),
);
export const ErrorFrame = frame(
  'error',
  Type.Object({
    id: Type.Optional(FrameId),
    code: Type.String({ description: 'Stable, for programs; see the catalogue.' }),
    message: Type.String({ description: 'What was expected and what was found.' }),
    path: Type.Optional(Type.String({ description: 'The field, such as `data.addresses[3]`.' })),
    retry_after_millis: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
);

export const CheckpointFrame = frame('checkpoint', Checkpoint);
export const CutFinalizedFrame = frame('cut_finalized', CutFinalized);
/** The last frame before `/v1/events` closes. */
export const HistoryUnavailableFrame = frame(
  'resync_required',
  Type.Object({ reason: Type.Literal('history_unavailable') }),
);

export const SnapshotFrame = frame('snapshot', TransactionStatus);
export const UpdateFrame = frame('update', TransactionStatus);

export const SERVER_FRAMES = {
  api: {
    subscribed: SubscribedFrame,
    unsubscribed: UnsubscribedFrame,
    response: ResponseFrame,
    pong: PongFrame,
    notification: NotificationFrame,
    resync_required: SubscriptionResyncFrame,
    error: ErrorFrame,
  },
  events: {
    checkpoint: CheckpointFrame,
    cut_finalized: CutFinalizedFrame,
    resync_required: HistoryUnavailableFrame,
    error: ErrorFrame,
  },
  status: { snapshot: SnapshotFrame, update: UpdateFrame, error: ErrorFrame },
} as const;

export type ApiServerFrame = Static<
  (typeof SERVER_FRAMES.api)[keyof (typeof SERVER_FRAMES)['api']]
>;
export type EventsServerFrame = Static<
  (typeof SERVER_FRAMES.events)[keyof (typeof SERVER_FRAMES)['events']]
>;
export type StatusServerFrame = Static<
  (typeof SERVER_FRAMES.status)[keyof (typeof SERVER_FRAMES)['status']]
>;
