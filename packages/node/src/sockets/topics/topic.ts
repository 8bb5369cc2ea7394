/**
 * A topic that clients subscribe to.
 */
import type { Subscription } from '../fanout/subscription.ts';
import type { TopicRequest } from '../session/read-frame.ts';

export interface Topic {
  /** Sends the subscription its events from now on. Returns a function that ends the subscription. */
  join(subscription: Subscription, request: TopicRequest): () => void;
}
