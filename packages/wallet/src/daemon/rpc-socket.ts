/**
 * One WebSocket of a caller: calls come in, answers and events go out. Subscriptions end with the connection. A
 * reader who falls behind loses events and gets a notice; nothing piles up in memory for it. Calls beyond the most that are
 * carried out at a time are answered `busy`, and nothing is read of who does not read its answers: no answer is ever lost
 * because a caller asked for too much.
 */
import type { EventName, MethodParams, MethodResult } from 'svc-api/rpc';
import type { RawData, WebSocket } from 'ws';
import { WalletError } from '../errors.ts';
import type { Connection } from '../methods/method.ts';
import type { StoredEvent } from '../state/events.ts';
import type { Wallet } from '../wallet.ts';
import type { Grant } from './access.ts';
import { type DispatchPorts, dispatch, turnAway } from './dispatch.ts';
import type { CallMeter } from './wallet-metrics.ts';

const BUFFERED_BYTES_MAX = 1 << 20;
export const SUBSCRIPTIONS_MAX = 16;
export const CALLS_IN_FLIGHT_MAX = 64;
const BUSY_RETRY_MILLIS = 1_000;
const REPLAYED_AT_ONCE = 200;
const UNSUPPORTED_DATA = 1003;
const POLICY_VIOLATION = 1008;

interface Subscription {
  readonly names: ReadonlySet<string>;
  /** False while events that happened before the subscription are being repeated. */
  isLive: boolean;
}

/** What the token of a connection allows, for as long as it is not revoked. */
export interface SocketAccess {
  readonly grant: Grant;
  readonly meter: CallMeter;
}

export class RpcSocket implements Connection {
  readonly #socket: WebSocket;
  readonly #wallet: Wallet;
  readonly #access: SocketAccess;
  readonly #subscriptions = new Map<number, Subscription>();
  #nextSubscription = 1;
  #inFlight = 0;
  #hasLost = false;

  constructor(socket: WebSocket, wallet: Wallet, access: SocketAccess) {
    this.#socket = socket;
    this.#wallet = wallet;
    this.#access = access;
    const end = wallet.events.on((event) => this.#deliver(event));
    socket.on('close', end);
    socket.on('error', () => socket.terminate());
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
  }

  subscribe({ events, after_sequence }: MethodParams<'subscribe'>): MethodResult<'subscribe'> {
    const { scanner, state } = this.#wallet;
    if (this.#subscriptions.size >= SUBSCRIPTIONS_MAX) {
      const message = `a connection has at most ${SUBSCRIPTIONS_MAX} subscriptions`;
      throw new WalletError('invalid_params', message);
    }
    const subscription = this.#nextSubscription++;
    const sequence = state.events.last();
    const made = { names: new Set<string>(events), isLive: after_sequence === undefined };
    this.#subscriptions.set(subscription, made);
    if (after_sequence !== undefined) void this.#replay(subscription, made, after_sequence);
    return { subscription, events, sequence, indexed_height: scanner.indexedHeight };
  }

  unsubscribe({ subscription }: MethodParams<'unsubscribe'>): MethodResult<'unsubscribe'> {
    if (this.#subscriptions.delete(subscription)) return { subscription };
    throw new WalletError('invalid_params', 'the connection has no such subscription', {
      path: 'subscription',
    });
  }

  /** Closes a connection whose token was revoked. */
  expectValid(): boolean {
    if (this.#access.grant.isValid()) return true;
    this.#socket.close(POLICY_VIOLATION, 'the token was revoked');
    return false;
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (isBinary) {
      this.#socket.close(UNSUPPORTED_DATA, 'expected text');
      return;
    }
    if (!this.expectValid()) return;
    const text = (data as Buffer).toString('utf8');
    if (this.#inFlight >= CALLS_IN_FLIGHT_MAX) {
      void turnAway(text, BUSY_RETRY_MILLIS, this.#callPorts()).then((told) => this.#reply(told));
      return;
    }
    this.#inFlight++;
    void dispatch(text, this.#callPorts())
      .then((answer) => this.#reply(answer))
      .finally(() => {
        this.#inFlight--;
      });
  }

  #callPorts(): DispatchPorts {
    const { grant, meter } = this.#access;
    return { grant, wallet: this.#wallet, connection: this, meter };
  }

  /** Sends an answer. While too much waits to be read by the caller, nothing more is read from it. */
  #reply(answer: object | undefined): void {
    if (answer === undefined) return;
    this.#send(JSON.stringify(answer));
    if (this.#isFull) this.#socket.pause();
  }

  /** Repeats the kept events after a sequence number, then makes the subscription live. */
  async #replay(subscription: number, made: Subscription, after: number): Promise<void> {
    const { events } = this.#wallet.state;
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#isOpen && !events.reaches(after))
      this.#notifyLost('history_unavailable', subscription);
    for (let last = after; this.#isOpen && this.#subscriptions.has(subscription); ) {
      if (!this.expectValid()) return;
      const some = events.after(last, REPLAYED_AT_ONCE);
      for (const event of some) {
        if (made.names.has(event.event)) this.#notify(event, subscription);
        last = event.sequence;
      }
      if (some.length < REPLAYED_AT_ONCE) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    made.isLive = true;
  }

  #deliver(event: StoredEvent): void {
    if (this.#subscriptions.size === 0 || !this.expectValid()) return;
    for (const [subscription, { isLive, names }] of this.#subscriptions) {
      if (isLive && names.has(event.event)) this.#notify(event, subscription);
    }
  }

  #notify({ data, event, sequence }: StoredEvent, subscription: number): void {
    if (this.#isFull) {
      this.#hasLost = true;
      return;
    }
    if (this.#hasLost) {
      this.#hasLost = false;
      for (const each of this.#subscriptions.keys()) this.#notifyLost('stream_lagged', each);
    }
    const params = { subscription, sequence, ...(JSON.parse(data) as object) };
    this.#send(JSON.stringify({ jsonrpc: '2.0', method: event as EventName, params }));
  }

  #notifyLost(reason: string, subscription: number): void {
    const { scanner, state } = this.#wallet;
    const params = {
      subscription,
      sequence: state.events.last(),
      reason,
      indexed_height: scanner.indexedHeight,
    };
    this.#send(JSON.stringify({ jsonrpc: '2.0', method: 'resync_required', params }));
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN && this.#wallet.state.database.isOpen;
  }

  get #isFull(): boolean {
    return this.#socket.bufferedAmount > BUFFERED_BYTES_MAX;
  }

  #send(text: string): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return;
    socket.send(text, () => {
      if (socket.isPaused && !this.#isFull) socket.resume();
    });
  }
}
