/**
 * The miner's end of a connection as a state machine: it subscribes, authorizes, takes jobs and submits nonces, and
 * carries unanswered shares over to the next connection. It has no socket and no clock. A share is sent until it is
 * answered; the server counts it once, so `duplicate` for a share that was sent before means that it was counted.
 * Shares go out no faster than servers accept them, since floods are banned.
 */
import { RateLimit, type RateLimitOptions } from '../effort/rate-limit.ts';
import type { BlockResult, Message, Notify, Subscribed } from '../wire/messages.ts';
import { isClientMessage } from '../wire/messages.ts';
import { type Refusal, refusalOfCode } from '../wire/refusals.ts';
import { isSameHost } from './same-host.ts';

export interface ClientSessionOptions {
  readonly agent: string;
  /** `<address>.<worker>`. */
  readonly username: string;
  readonly password?: string;
  readonly tag?: string;
  readonly protocol: 'svc-mining-v1' | 'svc-mining-v2';
  /** The host that the miner was configured for: a server may redirect it only to another port of this host. */
  readonly host: string;
  /** How fast shares go out; below what servers take unless given. */
  readonly pace?: RateLimitOptions;
}

export interface FoundShare {
  readonly job: number;
  /** 24 bytes. */
  readonly nonce: Uint8Array;
}

export type ClientEffect =
  | { readonly type: 'send'; readonly message: Message }
  /** The server's answer to the subscription. With another prefix than before, earlier jobs are void. */
  | { readonly type: 'subscribed'; readonly answer: Subscribed }
  | { readonly type: 'authorized'; readonly address: string; readonly worker: string }
  | { readonly type: 'job'; readonly job: Notify }
  /** At once, or from the next job on. */
  | { readonly type: 'target'; readonly shareTarget: Uint8Array; readonly isNow: boolean }
  | {
      readonly type: 'period';
      readonly period: number;
      readonly seed: Uint8Array;
      readonly startsHeight: number;
    }
  | {
      readonly type: 'answered';
      readonly share: FoundShare;
      readonly isAccepted: boolean;
      readonly refusal?: Refusal | 'unknown';
      readonly message?: string;
      readonly block?: BlockResult;
      readonly blockReason?: string;
      readonly millis: number;
    }
  /** A share that can no longer be submitted: the server gave the session another prefix. */
  | { readonly type: 'lost'; readonly share: FoundShare }
  /** A dropped share: far more are found than may be sent, until the server asks for harder ones. */
  | { readonly type: 'crowded'; readonly share: FoundShare }
  | { readonly type: 'show'; readonly text: string }
  | { readonly type: 'reconnect'; readonly address: string }
  /** This connection has failed; another may work. */
  | { readonly type: 'failed'; readonly refusal?: Refusal | 'unknown'; readonly reason: string };

interface Waiting {
  readonly share: FoundShare;
  readonly isRepeated: boolean;
  readonly since: number;
}

type State = 'closed' | 'subscribing' | 'authorizing' | 'open';

/** Shares that wait for an answer or a connection; beyond this the oldest is dropped. */
const SHARES_MAX = 1_024;
/** Below the ten a second and fifty at once that servers of this project take. */
const PACE: RateLimitOptions = { perSecond: 8, burst: 24 };
/** Shares queued on an open connection; beyond this the newest is dropped. */
const PACED_MAX = 24;
/** A server that answers nothing for so long counts as disconnected. */
const ANSWER_MILLIS = 30_000;
const IDS = 2 ** 32;
const SUBSCRIBE_ID = 1;
const AUTHORIZE_ID = 2;
const FIRST_SHARE_ID = 3;

export class ClientSession {
  readonly #options: ClientSessionOptions;
  readonly #waiting = new Map<number, Waiting>();
  /** Found before the connection was open, or not answered by the one before. */
  #unsent: Waiting[] = [];
  #state: State = 'closed';
  #token: Uint8Array | undefined;
  #prefix: Uint8Array | undefined;
  #nextId = FIRST_SHARE_ID;
  #askedAt = 0;
  #pace: RateLimit | undefined;

  constructor(options: ClientSessionOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** The prefix that the last bytes of every nonce must have; undefined before the first answer. */
  get prefix(): Uint8Array | undefined {
    return this.#prefix;
  }

  /** Shares that have no answer yet. */
  get unanswered(): number {
    return this.#waiting.size + this.#unsent.length;
  }

  /** A connection is there. */
  connect(nowMillis: number): ClientEffect[] {
    const { agent, tag, protocol } = this.#options;
    this.#state = 'subscribing';
    this.#askedAt = nowMillis;
    const resume = this.#token === undefined ? {} : { resume: this.#token };
    const named = tag === undefined || tag === '' ? {} : { tag };
    return send({ type: 'subscribe', id: SUBSCRIBE_ID, agent, ...named, protocol, ...resume });
  }

  /** The connection has ended. Unanswered shares are sent again over the next one. */
  disconnect(): void {
    this.#state = 'closed';
    const repeated = [...this.#waiting.values()].map((entry) => ({ ...entry, isRepeated: true }));
    this.#unsent = [...repeated, ...this.#unsent];
    this.#waiting.clear();
  }

  submit(share: FoundShare, nowMillis: number): ClientEffect[] {
    const entry: Waiting = { share, isRepeated: false, since: nowMillis };
    if (this.unanswered >= SHARES_MAX) return [{ type: 'lost', share }];
    if (this.#state === 'open' && this.#unsent.length >= PACED_MAX)
      return [{ type: 'crowded', share }];
    this.#unsent.push(entry);
    return this.#sendPaced(nowMillis);
  }

  receive(message: Message, nowMillis: number): ClientEffect[] {
    if (this.#state === 'closed') return [];
    const effects = this.#effectsOf(message, nowMillis);
    const isLeaving = effects.some(({ type }) => type === 'failed' || type === 'reconnect');
    return isLeaving ? effects : [...effects, ...this.#sendPaced(nowMillis)];
  }

  #effectsOf(message: Message, nowMillis: number): ClientEffect[] {
    if (isClientMessage(message)) return this.#fail('the server sent a request');
    switch (message.type) {
      case 'subscribed':
        return this.#subscribed(message, nowMillis);
      case 'authorized':
        return this.#authorized(message, nowMillis);
      case 'submitted': {
        const { block, blockReason } = message;
        return this.#settle(message.id, nowMillis, {
          isAccepted: message.accepted,
          ...(block === undefined ? {} : { block }),
          ...(blockReason === undefined ? {} : { blockReason }),
        });
      }
      case 'refused':
        return this.#refused(message, nowMillis);
      case 'notify':
        return [{ type: 'job', job: message }];
      case 'setTarget':
        return [{ type: 'target', shareTarget: message.shareTarget, isNow: message.isNow }];
      case 'period':
        return [message];
      case 'show':
        return [message];
      case 'reconnect':
        return isSameHost(message.address, this.#options.host)
          ? [{ type: 'reconnect', address: message.address }]
          : [{ type: 'show', text: 'the server named another host to connect to; it is ignored' }];
      default:
        return message satisfies never;
    }
  }

  tick(nowMillis: number): ClientEffect[] {
    if (this.#state === 'closed') return [];
    const [oldest] = this.#waiting.values();
    const since = this.#state === 'open' ? oldest?.since : this.#askedAt;
    if (since === undefined || nowMillis - since < ANSWER_MILLIS) return this.#sendPaced(nowMillis);
    return this.#fail('the server does not answer');
  }

  #subscribed(answer: Subscribed, nowMillis: number): ClientEffect[] {
    if (this.#state !== 'subscribing' || answer.id !== SUBSCRIBE_ID)
      return this.#fail('the server answered a subscription that was not made');
    const lost = answer.isResumed ? [] : this.#unsent.splice(0);
    this.#token = answer.session;
    this.#prefix = answer.noncePrefix;
    this.#state = 'authorizing';
    this.#askedAt = nowMillis;
    const { username, password } = this.#options;
    const secret = password === undefined ? {} : { password };
    return [
      ...lost.map(({ share }): ClientEffect => ({ type: 'lost', share })),
      { type: 'subscribed', answer },
      ...send({ type: 'authorize', id: AUTHORIZE_ID, username, ...secret }),
    ];
  }

  #authorized(
    { id, accepted, address, worker }: Message & { readonly type: 'authorized' },
    nowMillis: number,
  ): ClientEffect[] {
    if (this.#state !== 'authorizing' || id !== AUTHORIZE_ID || !accepted)
      return this.#fail('the server answered an authorization that was not asked for');
    this.#state = 'open';
    return [{ type: 'authorized', address, worker }, ...this.#sendPaced(nowMillis)];
  }

  #refused(message: Message & { readonly type: 'refused' }, nowMillis: number): ClientEffect[] {
    const { id, code } = message;
    const refusal = refusalOfCode(code) ?? 'unknown';
    const isOwn = id !== undefined && this.#waiting.has(id);
    if (!isOwn) {
      const isResumed = this.#state !== 'open' && refusal === 'unauthorized';
      if (isResumed) this.#token = undefined;
      return [{ type: 'failed', refusal, reason: message.message }];
    }
    const isCounted = refusal === 'duplicate' && this.#waiting.get(id)?.isRepeated === true;
    return this.#settle(
      id,
      nowMillis,
      isCounted ? { isAccepted: true } : { isAccepted: false, refusal, message: message.message },
    );
  }

  #settle(
    id: number,
    nowMillis: number,
    answer: Omit<ClientEffect & { readonly type: 'answered' }, 'type' | 'share' | 'millis'>,
  ): ClientEffect[] {
    const entry = this.#waiting.get(id);
    if (entry === undefined) return this.#fail('the server answered a share that was not sent');
    this.#waiting.delete(id);
    const millis = Math.max(0, nowMillis - entry.since);
    return [{ type: 'answered', share: entry.share, ...answer, millis }];
  }

  /** Sends queued shares, as far as the pace allows it. */
  #sendPaced(nowMillis: number): ClientEffect[] {
    this.#pace ??= new RateLimit(this.#options.pace ?? PACE, nowMillis);
    const effects: ClientEffect[] = [];
    while (this.#state === 'open' && this.#unsent.length > 0 && this.#pace.admit(nowMillis))
      effects.push(...this.#send(this.#unsent.shift() as Waiting, nowMillis));
    return effects;
  }

  #send(entry: Waiting, nowMillis: number): ClientEffect[] {
    const id = this.#nextId;
    this.#nextId = id + 1 < IDS ? id + 1 : FIRST_SHARE_ID;
    this.#waiting.set(id, { ...entry, since: nowMillis });
    return send({ type: 'submit', id, ...entry.share });
  }

  #fail(reason: string): ClientEffect[] {
    return [{ type: 'failed', reason }];
  }
}

function send(message: Message): ClientEffect[] {
  return [{ type: 'send', message }];
}
