/**
 * Events on their way to many subscriptions.
 */
import type { TopicEvent, TopicName } from 'svc-api';
import { type Connection, jsonFrame, textFrame } from './connection.ts';

const SLICE = 512;
/** Beyond so many waiting deliveries all of them are made at once, so that the list stays bounded. */
const WAITING_MAX = 1 << 18;

interface Job {
  readonly size: number;
  readonly deliver: (index: number) => void;
  next: number;
}

/**
 * Gives an event to many connections without holding the thread for long: a slice of them at once, the rest
 * in later turns. Events keep their order for every connection.
 */
export class Fanout {
  readonly #jobs: Job[] = [];
  #waiting = 0;
  #scheduled: NodeJS.Immediate | undefined;

  publish<T>(targets: Iterable<T>, deliver: (target: T) => void): void {
    const list = [...targets];
    if (list.length === 0) return;
    this.#jobs.push({
      size: list.length,
      deliver: (index) => deliver(list[index] as T),
      next: 0,
    });
    this.#waiting += list.length;
    if (this.#waiting > WAITING_MAX) this.#deliver(this.#waiting);
    else if (this.#scheduled === undefined) this.#deliver(SLICE);
  }

  stop(): void {
    clearImmediate(this.#scheduled);
    this.#jobs.length = 0;
    this.#waiting = 0;
  }

  #deliver(most: number): void {
    let left = most;
    for (let job = this.#jobs[0]; job !== undefined && left > 0; job = this.#jobs[0]) {
      const end = Math.min(job.size, job.next + left);
      left -= end - job.next;
      this.#waiting -= end - job.next;
      while (job.next < end) job.deliver(job.next++);
      if (job.next === job.size) this.#jobs.shift();
    }
    clearImmediate(this.#scheduled);
    this.#scheduled =
      this.#jobs.length === 0
        ? undefined
        : setImmediate(() => {
            this.#scheduled = undefined;
            this.#deliver(SLICE);
          });
  }
}

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
