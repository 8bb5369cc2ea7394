/**
 * A topic whose every event goes to every subscription.
 */
import type { TopicEvent } from 'svc-api';
import type { Fanout } from '../fanout/fanout.ts';
import { SharedEvent } from '../fanout/shared-event.ts';
import type { Subscription } from '../fanout/subscription.ts';
import type { Topic } from './topic.ts';

export class BroadcastTopic implements Topic {
  readonly #fanout: Fanout;
  readonly #subscriptions = new Set<Subscription>();

  constructor(fanout: Fanout) {
    this.#fanout = fanout;
  }

  join(subscription: Subscription): () => void {
    this.#subscriptions.add(subscription);
    return () => void this.#subscriptions.delete(subscription);
  }

  /** Sends an event to all subscriptions; it is made only if there are any. */
  publish(make: () => TopicEvent): void {
    if (this.#subscriptions.size === 0) return;
    const event = new SharedEvent(make());
    this.#fanout.publish(this.#subscriptions, (subscription) => subscription.deliver(event));
  }
}
