/**
 * A topic that clients subscribe to.
 */
import type { Subscription } from '../fanout/subscription.ts';
import type { TopicRequest } from '../session/read-frame.ts';

export interface Topic {
  /** Gives the subscription its events from now on; the answer ends that. */
  join(subscription: Subscription, request: TopicRequest): () => void;
}
