/**
 * The topic `transaction`: the status of one transaction, as it is and whenever it changes.
 */
import { SharedEvent } from '../fanout/shared-event.ts';
import type { Subscription } from '../fanout/subscription.ts';
import type { TopicRequest } from '../session/read-frame.ts';
import type { StatusWatch } from '../status/status-watch.ts';
import type { Topic } from './topic.ts';

export class TransactionTopic implements Topic {
  readonly #watch: StatusWatch;

  constructor(watch: StatusWatch) {
    this.#watch = watch;
  }

  join(subscription: Subscription, request: TopicRequest): () => void {
    if (request.topic !== 'transaction') throw new Error('not a request for this topic');
    return this.#watch.watch(request.transactionId, (status) => {
      if (status === null) return;
      subscription.deliver(new SharedEvent({ type: 'transaction_status', data: status }));
    });
  }
}
