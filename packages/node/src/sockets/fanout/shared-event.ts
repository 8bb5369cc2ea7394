/**
 * An event of a topic on its way to many subscriptions. It is serialised once, and framed once for each
 * subscription number: numbers are small and clients begin with 1, so one frame serves nearly everybody.
 */
import type { TopicEvent } from 'svc-api';
import { textFrame } from '../connection/frames.ts';

const END = Buffer.from('}}');

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
