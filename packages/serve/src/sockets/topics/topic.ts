/**
 * The kinds of topics that clients subscribe to: one whose every event goes to every subscription, one that shows a document
 * as it is and whenever it has changed, and the status of one transaction. `addresses` has a file of its own.
 */
import type { SubscribeFrame, TopicEvent } from 'svc-api';
import type { Clock } from 'svc-base/pure';
import type { Fanout } from '../fanout/fanout.ts';
import { SharedEvent, type Subscription } from '../fanout/subscription.ts';
import type { StatusWatch } from '../status/status-watch.ts';

/** Addresses are in hexadecimal. */
export type TopicRequest = SubscribeFrame['data'];

export interface Topic {
  /** Sends the subscription its events from now on. Returns a function that ends the subscription. */
  join(subscription: Subscription, request: TopicRequest): () => void;
}

/**
 * A topic whose every event goes to every subscription.
 */
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

export const DOCUMENT_MILLIS = 1_000;

export interface DocumentTopicOptions {
  readonly make: () => TopicEvent;
  readonly clock: Clock;
  readonly fanout: Fanout;
  /** Checks the document after every interval, because nothing announces its changes. */
  readonly polled: boolean;
}

/**
 * A topic that shows one document: as it is when a client subscribes, then whenever it has changed, but not
 * more often than once in an interval.
 */
export class DocumentTopic implements Topic {
  readonly #options: DocumentTopicOptions;
  readonly #subscriptions = new Set<Subscription>();
  #text = '';
  #event: SharedEvent | undefined;
  #madeAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(options: DocumentTopicOptions) {
    this.#options = options;
  }

  join(subscription: Subscription): () => void {
    if (this.#event === undefined || (this.#subscriptions.size === 0 && this.#waitMillis() === 0)) {
      this.#make();
    }
    subscription.deliver(this.#event as SharedEvent);
    this.#subscriptions.add(subscription);
    this.touch();
    return () => {
      this.#subscriptions.delete(subscription);
      if (this.#subscriptions.size === 0) this.stop();
    };
  }

  /** Must be called when the document may have changed. */
  touch(): void {
    if (this.#subscriptions.size === 0 || this.#cancel !== undefined) return;
    this.#cancel = this.#options.clock.after(this.#waitMillis(), () => this.#publish());
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #waitMillis(): number {
    return Math.max(0, this.#madeAt + DOCUMENT_MILLIS - this.#options.clock.now());
  }

  #publish(): void {
    this.#cancel = undefined;
    const event = this.#make();
    if (event !== undefined) {
      const { fanout } = this.#options;
      fanout.publish(this.#subscriptions, (subscription) => subscription.deliver(event));
    }
    if (this.#options.polled) this.touch();
  }

  /** The event, if it differs from the one before. */
  #make(): SharedEvent | undefined {
    this.#madeAt = this.#options.clock.now();
    const event = this.#options.make();
    const text = JSON.stringify(event);
    if (text === this.#text) return undefined;
    this.#text = text;
    this.#event = new SharedEvent(event);
    return this.#event;
  }
}

/**
 * The topic `transaction`: the status of one transaction, as it is and whenever it changes.
 */
export class TransactionTopic implements Topic {
  readonly #watch: StatusWatch;

  constructor(watch: StatusWatch) {
    this.#watch = watch;
  }

  join(subscription: Subscription, request: TopicRequest): () => void {
    if (request.topic !== 'transaction') throw new Error('not a request for this topic');
    return this.#watch.watch(request.transaction_id, (status) => {
      if (status === null) return;
      subscription.deliver(new SharedEvent({ type: 'transaction_status', data: status }));
    });
  }
}
