/**
 * Sends every event of the wallet to one URL of its operator, in order, each at least once. The event log is the queue:
 * what was delivered is a number in the state, so that a kill loses nothing and repeats one event at most. An event that is
 * not taken is sent again, later each time, and nothing after it before. Redirects are not followed, and what the receiver
 * answers beside its status is not read.
 */
import { createHmac } from 'node:crypto';
import { type Clock, type Log, messageOf, type Signal, sleep } from 'svc-base/pure';
import type { StoredEvent } from '../state/events.ts';
import type { State } from '../state/open-state.ts';

export interface WebhookOptions {
  readonly url: string;
  /** The key of the signatures. */
  readonly secret: string;
  /** A receiver that takes longer has not taken the event. */
  readonly timeoutMillis?: number;
}

export interface WebhookPorts {
  readonly state: Pick<State, 'database' | 'events' | 'meta'>;
  /** Emits events that came into the log. */
  readonly events: Signal<StoredEvent>;
  readonly clock: Clock;
  readonly log: Log;
}

const TIMEOUT_MILLIS = 10_000;
const FIRST_WAIT_MILLIS = 1_000;
const WAIT_MILLIS_MAX = 300_000;
const DOUBLINGS_MAX = 20;

/** An event that has to be delivered, and the number up to which the log is delivered then. */
interface Delivery {
  readonly sequence: number;
  readonly event: string;
  readonly data: object;
}

export class Webhook {
  readonly #options: WebhookOptions;
  readonly #ports: WebhookPorts;
  readonly #ending = new AbortController();
  #wake: () => void = () => {};
  #running: Promise<void> = Promise.resolve();
  #delivered = 0;
  #failed = 0;

  constructor(options: WebhookOptions, ports: WebhookPorts) {
    this.#options = options;
    this.#ports = ports;
  }

  /** Events that were delivered, since the daemon started. */
  get delivered(): number {
    return this.#delivered;
  }

  /** Attempts that failed, since the daemon started. */
  get failed(): number {
    return this.#failed;
  }

  /** Events that wait. */
  get waiting(): number {
    const { events } = this.#ports.state;
    return Math.max(0, events.last() - this.#sequence());
  }

  /** Begins to deliver. A wallet that had no webhook before begins with the next event. */
  start(): void {
    const { events, state } = this.#ports;
    if (state.meta.get('webhook_sequence') === undefined) this.#setSequence(state.events.last());
    const end = events.on(() => this.#wake());
    this.#running = this.#deliverAll().finally(end);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.#wake();
    await this.#running;
  }

  async #deliverAll(): Promise<void> {
    const { signal } = this.#ending;
    for (let failures = 0; !signal.aborted; ) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const delivery = this.#next();
      if (delivery === undefined) {
        await woken;
        continue;
      }
      const fault = await this.#post(delivery);
      if (signal.aborted) return;
      if (fault === undefined) {
        this.#setSequence(delivery.sequence);
        this.#delivered++;
        failures = 0;
        continue;
      }
      this.#failed++;
      const { sequence } = delivery;
      const fields = { sequence, attempt: failures + 1, fault };
      this.#ports.log.warn(fields, 'the webhook did not take an event; it is sent again');
      const wait = FIRST_WAIT_MILLIS * 2 ** Math.min(failures++, DOUBLINGS_MAX);
      await sleep(this.#ports.clock, Math.min(WAIT_MILLIS_MAX, wait), signal);
    }
  }

  /** The oldest event that was not delivered; where the log does not reach back that far, that events are lost. */
  #next(): Delivery | undefined {
    const { events } = this.#ports.state;
    const sequence = this.#sequence();
    const [event] = events.after(Math.min(sequence, events.last()), 1);
    if (sequence <= events.last() && !events.reaches(sequence)) {
      const upTo = (event?.sequence ?? events.last() + 1) - 1;
      const data = { reason: 'history_unavailable', indexed_height: event?.height ?? 0 };
      return { sequence: upTo, event: 'resync_required', data };
    }
    if (event === undefined) return undefined;
    return { ...event, data: JSON.parse(event.data) as object };
  }

  /** Returns why the event was not taken; undefined if it was. */
  async #post({ data, event, sequence }: Delivery): Promise<string | undefined> {
    const { clock } = this.#ports;
    const { secret, timeoutMillis = TIMEOUT_MILLIS, url } = this.#options;
    const body = JSON.stringify({ api_version: 1, sequence, event, data });
    const timestamp = String(clock.now());
    try {
      const answer = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          'x-svc-webhook-sequence': String(sequence),
          'x-svc-webhook-timestamp': timestamp,
          'x-svc-webhook-signature': signatureOf(secret, timestamp, body),
        },
        body,
        signal: AbortSignal.any([this.#ending.signal, AbortSignal.timeout(timeoutMillis)]),
      });
      await answer.body?.cancel();
      return answer.ok ? undefined : `status ${answer.status}`;
    } catch (error) {
      return messageOf(error);
    }
  }

  #sequence(): number {
    return this.#ports.state.meta.number('webhook_sequence', 0);
  }

  #setSequence(sequence: number): void {
    this.#ports.state.meta.set('webhook_sequence', String(sequence));
  }
}

/** HMAC-SHA-256 over the time in milliseconds, a dot and the body, in hexadecimal, after the version. */
export function signatureOf(secret: string, timestamp: string, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}

/** Whether events may be sent there: over TLS, or within this machine. */
export function isWebhookUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, password, protocol, username } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isOnThisMachine(hostname));
}

export function isOnThisMachine(hostname: string): boolean {
  return /^(127(\.[0-9]+){3}|localhost|\[::1\])$/.test(hostname);
}
