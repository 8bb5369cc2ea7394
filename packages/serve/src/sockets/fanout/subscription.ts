/**
 * One subscription of a connection, and the events that many subscriptions share.
 */
import type { TopicEvent, TopicName } from 'svc-api';
import type { Connection } from '../connection/connection.ts';
import { jsonFrame, textFrame } from '../connection/frames.ts';

const END = Buffer.from('}}');

/**
 * An event of a topic on its way to many subscriptions. It is serialised once, and framed once for each
 * subscription number: numbers are small and clients begin with 1, so one frame serves nearly all clients.
 */
export class SharedEvent {
  readonly #json: Buffer;
  readonly #frames = new Map<number, Buffer>();

  constructor(event: TopicEvent) {
    this.#json = Buffer.from(JSON.stringify(event));
  }

  frameFor(subscription: number): Buffer {
    const made = this.#frames.get(subscription);
    if (made !== undefined) return made;
    const start = `{"type":"notification","data":{"subscription":${subscription},"event":`;
    const frame = textFrame(Buffer.from(start), this.#json, END);
    this.#frames.set(subscription, frame);
    return frame;
  }
}

export type SubscriptionResync = 'stream_lagged' | 'stream_restarted';

/**
 * One subscription of one connection. A client that reads too slowly loses events; then nothing more is sent
 * until it has been told so.
 */
export class Subscription {
  readonly number: number;
  readonly topic: TopicName;
  readonly #connection: Connection;
  readonly #isWithholding: () => boolean;
  #open = true;
  #owed: SubscriptionResync | undefined;

  /** While `isWithholding` returns true, events are dropped as if the client did not read. */
  constructor(
    number: number,
    topic: TopicName,
    connection: Connection,
    isWithholding: () => boolean,
  ) {
    this.number = number;
    this.topic = topic;
    this.#connection = connection;
    this.#isWithholding = isWithholding;
  }

  deliver(event: SharedEvent): void {
    if (!this.#open || this.#owed !== undefined) return;
    const sent = !this.#isWithholding() && this.#connection.offer(event.frameFor(this.number));
    if (!sent) this.#owed = 'stream_lagged';
  }

  /** Tells the client to read the current state, now or once it reads again. */
  resync(reason: SubscriptionResync): void {
    if (!this.#open) return;
    this.#owed = reason;
    this.settle();
  }

  /** Sends the resync that is due to a client that reads again. */
  settle(): void {
    const reason = this.#owed;
    if (!this.#open || reason === undefined || this.#isWithholding() || !this.#connection.ready)
      return;
    this.#owed = undefined;
    const data = { subscription: this.number, reason };
    this.#connection.reply(jsonFrame({ type: 'resync_required', data }));
  }

  close(): void {
    this.#open = false;
  }
}
