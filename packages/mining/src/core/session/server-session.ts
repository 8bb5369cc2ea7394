/**
 * The server's end of one connection as a state machine: messages, ticks and jobs go in, effects come out. It has no
 * socket, clock or thread; the shell sends, hashes and closes. Nothing that a miner sends is believed: a share names
 * a job and a nonce, and everything else comes from the server's own books.
 */
import type { Network } from 'svc-wasm/base';
import { compareBytes, isRefusal } from 'svc-wasm/base';
import { expectMinerTag } from 'svc-wasm/protocol';
import type { Offence } from '../effort/ban-book.ts';
import { sharedTargetOf } from '../effort/difficulty.ts';
import { RateLimit, type RateLimitOptions } from '../effort/rate-limit.ts';
import { Vardiff, type VardiffOptions } from '../effort/vardiff.ts';
import { headerWith, type Job, type JobBook, type JobPlace } from '../jobs/job-book.ts';
import { hasPrefix, wholeNonce } from '../jobs/nonce-prefixes.ts';
import type {
  Authorize,
  BlockResult,
  ClientMessage,
  Message,
  Notify,
  ServerMessage,
  Submit,
  Subscribe,
  Subscribed,
} from '../wire/messages.ts';
import { isClientMessage, PROTOCOLS } from '../wire/messages.ts';
import { REFUSALS, type Refusal } from '../wire/refusals.ts';
import type { Session, SessionBook } from './session-book.ts';
import { type Miner, parseUsername } from './username.ts';

export interface ServerSessionPorts {
  readonly jobs: JobBook;
  readonly sessions: SessionBook;
  /** What the proof of work is made from now. */
  pow(): Subscribed['pow'];
}

export interface ServerSessionOptions {
  readonly network: Network;
  readonly chainId: Uint8Array;
  /** A pool names the address that its blocks pay. */
  readonly poolAddress?: string;
  readonly vardiff: VardiffOptions;
  readonly messages?: RateLimitOptions;
  readonly shares?: RateLimitOptions;
  /** Shares of the connection that wait for their check. */
  readonly pendingMax?: number;
}

/** A share that is to be hashed. */
export interface PendingShare {
  readonly id: number;
  readonly job: Job;
  readonly nonce: Uint8Array;
  /** The data to hash: the server's header with the nonce. */
  readonly header: Uint8Array;
  readonly shareTarget: Uint8Array;
  /** The work of the share. */
  readonly difficulty: bigint;
  readonly miner: Miner;
}

export type ShareOutcome =
  | { readonly type: 'accepted'; readonly block?: BlockResult; readonly blockReason?: string }
  | { readonly type: 'low_difficulty' }
  /** The share was not checked: the nonce may be submitted again. */
  | { readonly type: 'not_checked'; readonly refusal: 'too_fast' | 'internal' };

export type ServerEffect =
  | { readonly type: 'send'; readonly message: ServerMessage }
  /** The miner wants jobs for its address from now on. */
  | { readonly type: 'authorized'; readonly miner: Miner; readonly tag: string }
  | { readonly type: 'check'; readonly share: PendingShare }
  | { readonly type: 'offence'; readonly offence: Offence }
  /** Another connection had the session; it is to be closed. */
  | { readonly type: 'replaced'; readonly owner: object }
  | { readonly type: 'refused'; readonly refusal: Refusal }
  | { readonly type: 'close'; readonly reason: string };

const MESSAGES: RateLimitOptions = { perSecond: 20, burst: 100 };
const SHARES: RateLimitOptions = { perSecond: 10, burst: 50 };
const PENDING_MAX = 32;
/** A connection that has not been authorized by then is closed. */
const GREETING_MILLIS = 30_000;
/** A connection that was silent for so long is closed; shares come every few seconds. */
const IDLE_MILLIS = 900_000;

export class ServerSession {
  readonly #ports: ServerSessionPorts;
  readonly #options: ServerSessionOptions;
  readonly #owner: object;
  readonly #vardiff: Vardiff;
  readonly #messages: RateLimit;
  readonly #shares: RateLimit;
  readonly #openedAt: number;
  #heardAt: number;
  #session: Session | undefined;
  #tag = '';
  #miner: Miner | undefined;
  #pending = 0;
  /** The target of the connection's difficulty, which every job of every cut asks for. */
  #target: { readonly difficulty: bigint; readonly bytes: Uint8Array } | undefined;
  #isClosed = false;

  /** `owner` identifies the connection in the book of sessions. */
  constructor(
    ports: ServerSessionPorts,
    options: ServerSessionOptions,
    owner: object,
    nowMillis: number,
  ) {
    this.#ports = ports;
    this.#options = options;
    this.#owner = owner;
    this.#vardiff = new Vardiff(options.vardiff, nowMillis);
    this.#messages = new RateLimit(options.messages ?? MESSAGES, nowMillis);
    this.#shares = new RateLimit(options.shares ?? SHARES, nowMillis);
    this.#openedAt = nowMillis;
    this.#heardAt = nowMillis;
  }

  get miner(): Miner | undefined {
    return this.#miner;
  }

  get prefix(): Uint8Array | undefined {
    return this.#session?.prefix;
  }

  get difficulty(): bigint {
    return this.#vardiff.difficulty;
  }

  receive(message: Message, nowMillis: number): ServerEffect[] {
    if (this.#isClosed) return [];
    this.#heardAt = nowMillis;
    if (!isClientMessage(message)) return this.#breach('expected a request');
    if (!this.#messages.admit(nowMillis))
      return [...this.#refuse(message.id, 'too_fast', 'flood'), ...this.#close('flood')];
    return this.#answer(message, nowMillis);
  }

  /** Bytes came in that are no message. */
  receiveBroken(reason: string): ServerEffect[] {
    return this.#isClosed ? [] : this.#breach(reason);
  }

  /** Gives a job to the miner, with the share target that the connection has now. */
  offer(job: Job, isClean: boolean): ServerEffect[] {
    const shareTarget = this.assign(job);
    if (shareTarget === undefined) return [];
    return send({ ...noticeOf(job, isClean), shareTarget });
  }

  /**
   * Records that the miner has the job, and answers with its share target. For a caller that sends one job to many,
   * makes the message itself and has looked up the slot of the job. Undefined if the connection takes no jobs.
   */
  assign(job: Job, place?: JobPlace): Uint8Array | undefined {
    const session = this.#session;
    if (session === undefined || this.#miner === undefined || this.#isClosed) return undefined;
    const shareTarget = this.#shareTarget(job);
    session.given.add(job.number, shareTarget, place);
    return shareTarget;
  }

  /** Any notice to the miner: a new period, a text, another address of this server. */
  tell(notice: ServerMessage): ServerEffect[] {
    return this.#session === undefined || this.#isClosed ? [] : send(notice);
  }

  tick(nowMillis: number): ServerEffect[] {
    if (this.#isClosed) return [];
    if (this.#miner === undefined) {
      if (nowMillis - this.#openedAt < GREETING_MILLIS) return [];
      return [{ type: 'offence', offence: 'silent' }, ...this.#close('not authorized in time')];
    }
    if (nowMillis - this.#heardAt >= IDLE_MILLIS) return this.#close('idle');
    const difficulty = this.#vardiff.retarget(nowMillis);
    if (difficulty === undefined) return [];
    if (this.#session !== undefined) this.#session.difficulty = difficulty;
    return send({ type: 'setTarget', shareTarget: sharedTargetOf(difficulty), isNow: false });
  }

  /** The share was hashed or could not be; answers it. Once for each `check`. */
  settle(share: PendingShare, outcome: ShareOutcome): ServerEffect[] {
    this.#pending--;
    const { id } = share;
    if (outcome.type === 'not_checked') {
      this.#ports.jobs.forget(share.job, share.nonce);
      return this.#isClosed ? [] : this.#refuse(id, outcome.refusal);
    }
    if (outcome.type === 'low_difficulty') {
      if (this.#isClosed) return [{ type: 'offence', offence: 'low_difficulty' }];
      return this.#refuse(id, 'low_difficulty', 'low_difficulty');
    }
    this.#vardiff.addShare(share.difficulty);
    if (this.#isClosed) return [];
    const { block, blockReason } = outcome;
    return send({
      type: 'submitted',
      id,
      accepted: true,
      ...(block === undefined ? {} : { block }),
      ...(blockReason === undefined ? {} : { blockReason }),
    });
  }

  /** The connection is gone; its session can be resumed. */
  disconnect(): void {
    this.#isClosed = true;
    if (this.#session !== undefined) this.#ports.sessions.detach(this.#session, this.#owner);
  }

  #answer(message: ClientMessage, nowMillis: number): ServerEffect[] {
    if (message.type === 'subscribe') return this.#subscribe(message, nowMillis);
    if (message.type === 'authorize') return this.#authorize(message);
    return this.#submit(message, nowMillis);
  }

  #subscribe(request: Subscribe, nowMillis: number): ServerEffect[] {
    if (this.#session !== undefined) return this.#breach('subscribed twice', request.id);
    const { id, tag = '', protocol, resume } = request;
    if (protocol !== undefined && !PROTOCOLS.some((name) => name === protocol))
      return this.#refuse(
        id,
        'unsupported_protocol',
        undefined,
        `expected ${PROTOCOLS.join(' or ')}`,
      );
    const fault = tagFault(tag);
    if (fault !== undefined) return this.#refuse(id, 'bad_tag', undefined, fault);
    const { sessions } = this.#ports;
    const resumed = resume === undefined ? undefined : sessions.resume(resume, this.#owner);
    const session = resumed?.session ?? sessions.open(this.#owner);
    if (session === undefined) return this.#refuse(id, 'full');
    this.#session = session;
    this.#tag = tag;
    if (session.difficulty !== undefined) this.#vardiff.restart(session.difficulty, nowMillis);
    const { network, chainId, poolAddress } = this.#options;
    const effects = send({
      type: 'subscribed',
      id,
      session: session.token,
      noncePrefix: session.prefix,
      network,
      chainId,
      pow: this.#ports.pow(),
      ...(poolAddress === undefined ? {} : { poolAddress }),
      protocolVersions: [...PROTOCOLS],
      isResumed: resumed !== undefined,
    });
    const before = resumed?.before;
    return before === undefined ? effects : [{ type: 'replaced', owner: before }, ...effects];
  }

  #authorize({ id, username }: Authorize): ServerEffect[] {
    const session = this.#session;
    if (session === undefined) return this.#refuse(id, 'not_subscribed');
    const parsed = parseUsername(username, this.#options.network);
    if ('refusal' in parsed) return this.#refuse(id, parsed.refusal, undefined, parsed.message);
    const { miner } = parsed;
    const before = this.#miner ?? session.miner;
    if (
      before !== undefined &&
      (before.address !== miner.address || before.worker !== miner.worker)
    )
      return this.#refuse(id, 'unauthorized', undefined, 'the session has another username');
    const isFirst = this.#miner === undefined;
    session.miner = miner;
    this.#miner = miner;
    const effects = send({ type: 'authorized', id, accepted: true, ...miner });
    return isFirst ? [...effects, { type: 'authorized', miner, tag: this.#tag }] : effects;
  }

  #submit({ id, job: number, nonce }: Submit, nowMillis: number): ServerEffect[] {
    const session = this.#session;
    const miner = this.#miner;
    if (session === undefined) return this.#refuse(id, 'not_subscribed', 'protocol');
    if (miner === undefined) return this.#refuse(id, 'unauthorized', 'protocol');
    const pendingMax = this.#options.pendingMax ?? PENDING_MAX;
    if (this.#pending >= pendingMax || !this.#shares.admit(nowMillis))
      return this.#refuse(id, 'too_fast', 'flood');
    const { jobs } = this.#ports;
    const terms = session.given.termsOf(number);
    if (terms === undefined) return this.#refuse(id, 'unknown_job', 'unknown_job');
    const job = jobs.get(number);
    if (job === undefined || jobs.stateOf(job) === 'stale') return this.#refuse(id, 'stale');
    const whole = wholeNonce(nonce, session.prefix);
    if (!hasPrefix(whole, session.prefix)) return this.#refuse(id, 'wrong_prefix', 'wrong_prefix');
    const isNew = jobs.remember(job, whole);
    if (isNew === undefined) return this.#refuse(id, 'too_fast');
    if (!isNew) return this.#refuse(id, 'duplicate', 'duplicate');
    this.#pending++;
    const header = headerWith(job, whole);
    const { target: shareTarget, difficulty } = terms;
    const share = { id, job, nonce: whole, header, shareTarget, difficulty, miner };
    return [{ type: 'check', share }];
  }

  /** Never harder than the block itself. */
  #shareTarget({ blockTarget }: Job): Uint8Array {
    const { difficulty } = this.#vardiff;
    if (this.#target?.difficulty !== difficulty)
      this.#target = { difficulty, bytes: sharedTargetOf(difficulty) };
    const { bytes } = this.#target;
    return compareBytes(bytes, blockTarget) < 0 ? blockTarget : bytes;
  }

  #refuse(
    id: number | undefined,
    refusal: Refusal,
    offence?: Offence,
    text?: string,
  ): ServerEffect[] {
    const { code, meaning } = REFUSALS[refusal];
    const name = id === undefined ? {} : { id };
    const effects: ServerEffect[] = [
      ...send({ type: 'refused', ...name, code, message: text ?? meaning }),
      { type: 'refused', refusal },
    ];
    return offence === undefined ? effects : [...effects, { type: 'offence', offence }];
  }

  #breach(reason: string, id?: number): ServerEffect[] {
    return [...this.#refuse(id, 'bad_message', 'protocol', reason), ...this.#close(reason)];
  }

  #close(reason: string): ServerEffect[] {
    this.#isClosed = true;
    return [{ type: 'close', reason }];
  }
}

/** The notice of a job, which is the same for all miners but for its share target. */
export function noticeOf(job: Job, isClean: boolean): Omit<Notify, 'shareTarget'> {
  const { number, header, blockTarget, height, anchorHeight, expiresHeight, period } = job;
  const content = { header, blockTarget, height, anchorHeight, expiresHeight, period };
  return { type: 'notify', job: number, ...content, isClean };
}

function send(message: ServerMessage): ServerEffect[] {
  return [{ type: 'send', message }];
}

function tagFault(tag: string): string | undefined {
  try {
    expectMinerTag(tag);
    return undefined;
  } catch (error) {
    if (isRefusal(error)) return error.message;
    throw error;
  }
}
