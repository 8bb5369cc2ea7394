/**
 * Work from bridges and pools over the mining protocol. Servers are tried in the order in which they were given,
 * from the first one again after every loss; each keeps its session, so that shares which were not answered are sent
 * again and counted once. The last work is searched on while there is no connection.
 */
import { type Clock, messageOf, Signal } from 'svc-base/pure';
import {
  type ClientEffect,
  ClientSession,
  difficultyOf,
  encodeMessage,
  MessageStream,
  NONCE_FREE_BYTES,
  NONCE_OFFSET,
  type Notify,
  type Subscribed,
} from 'svc-mining';
import type { PowKey } from 'svc-mining/pow';
import { equalBytes, toHex } from 'svc-wasm/base';
import type { Work } from '../devices/prospector.ts';
import { parseServerUrl, type ServerUrl } from './server-url.ts';
import type { OpenTransport, Transport } from './transport.ts';
import type { SourceEvent, WorkSource } from './work-source.ts';

export interface StratumSourceOptions {
  readonly servers: readonly ServerUrl[];
  readonly agent: string;
  /** `<address>.<worker>`. */
  readonly username: string;
  readonly password?: string;
  readonly tag?: string;
  readonly clock: Clock;
  readonly openTransport: OpenTransport;
}

interface Connection {
  readonly server: ServerUrl;
  readonly session: ClientSession;
  readonly transport: Transport;
  readonly stream: MessageStream;
}

const ITEM_BYTES = 64;
const PAGE_BYTES = 128;
const BACKOFF_MILLIS = [1_000, 2_000, 5_000, 10_000, 30_000] as const;
const TICK_MILLIS = 250;
/** Jobs whose difficulty is remembered, for shares that are answered later. */
const JOBS_MAX = 512;
/** Seeds of periods that are remembered. */
const SEEDS_MAX = 4;

export class StratumSource implements WorkSource {
  readonly events = new Signal<SourceEvent>();
  readonly #options: StratumSourceOptions;
  readonly #sessions = new Map<string, ClientSession>();
  /** Numbers of jobs mean something to their server alone. */
  readonly #givenBy = new WeakMap<Work, ClientSession>();
  /** Keys of periods, by number, of the chain that the server works for. */
  readonly #keys = new Map<number, PowKey>();
  #sizes: { readonly cacheBytes: number; readonly datasetBytes: number } | undefined;
  #connection: Connection | undefined;
  #job: Notify | undefined;
  readonly #jobs = new Map<number, Pick<Notify, 'shareTarget' | 'height'>>();
  #poolAddress: string | undefined;
  #chainId = '';
  #place = 0;
  /** Rounds over all servers without work from any. */
  #failures = 0;
  #cancelRetry: (() => void) | undefined;
  #cancelTick: (() => void) | undefined;
  #isClosed = false;

  constructor(options: StratumSourceOptions) {
    this.#options = options;
  }

  /** The chain that the newest server works for, in hex; empty before the first answer. */
  get chainId(): string {
    return this.#chainId;
  }

  get unanswered(): number {
    return [...this.#sessions.values()].reduce((sum, { unanswered }) => sum + unanswered, 0);
  }

  start(): void {
    this.#connect(this.#options.servers[0] as ServerUrl);
    this.#tick();
  }

  /** Goes to the server that gave the work, now or when it is connected again. */
  submit(work: Work, nonce: Uint8Array): void {
    const session = this.#givenBy.get(work);
    if (session === undefined) throw new Error('no session gave this work');
    this.#apply(session.submit({ job: Number(work.jobId), nonce }, this.#now()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry?.();
    this.#cancelTick?.();
    this.#connection?.transport.close();
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }

  #connect(server: ServerUrl): void {
    if (this.#isClosed) return;
    this.events.emit({ type: 'connecting', server: server.text });
    const session = this.#sessionOf(server);
    const stream = new MessageStream(server.protocol);
    const events = {
      onOpen: () => this.#apply(session.connect(this.#now())),
      onBytes: (bytes: Uint8Array) => this.#read(bytes),
      onEnd: (reason: string) => this.#ended(transport, reason),
    };
    const transport = this.#options.openTransport(server, events);
    this.#connection = { server, session, transport, stream };
  }

  #sessionOf(server: ServerUrl): ClientSession {
    const known = this.#sessions.get(server.text);
    if (known !== undefined) return known;
    const { agent, username, password, tag } = this.#options;
    const session = new ClientSession({
      agent,
      username,
      protocol: server.protocol,
      host: server.host,
      ...(password === undefined ? {} : { password }),
      ...(tag === undefined ? {} : { tag }),
    });
    this.#sessions.set(server.text, session);
    return session;
  }

  #read(bytes: Uint8Array): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    try {
      for (const message of connection.stream.push(bytes)) {
        if (this.#connection !== connection) return;
        this.#apply(connection.session.receive(message, this.#now()));
      }
    } catch (error) {
      this.#drop(`the server sent what is no message: ${messageOf(error)}`);
    }
  }

  #tick(): void {
    if (this.#isClosed) return;
    const { clock } = this.#options;
    this.#cancelTick = clock.after(TICK_MILLIS, () => {
      if (this.#connection !== undefined) this.#apply(this.#connection.session.tick(this.#now()));
      this.#tick();
    });
  }

  /** Ends the connection from here; `#ended` does the rest. */
  #drop(reason: string): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    connection.transport.close();
    this.#ended(connection.transport, reason);
  }

  #ended(transport: Transport, reason: string): void {
    const connection = this.#connection;
    if (connection === undefined || connection.transport !== transport) return;
    this.#connection = undefined;
    connection.session.disconnect();
    if (this.#isClosed) return;
    const { servers, clock } = this.#options;
    this.#place = (this.#place + 1) % servers.length;
    if (this.#place === 0) this.#failures++;
    const wait = BACKOFF_MILLIS[Math.min(this.#failures, BACKOFF_MILLIS.length) - 1];
    const retryMillis = this.#place === 0 ? (wait ?? BACKOFF_MILLIS[0]) : 0;
    const server = connection.server.text;
    this.events.emit({ type: 'lost', server, reason, retryMillis });
    const next = servers[this.#place] as ServerUrl;
    this.#cancelRetry = clock.after(retryMillis, () => this.#connect(next));
  }

  #apply(effects: readonly ClientEffect[]): void {
    for (const effect of effects) this.#applyOne(effect);
  }

  #applyOne(effect: ClientEffect): void {
    switch (effect.type) {
      case 'send': {
        const { transport, server } = this.#connection as Connection;
        transport.send(encodeMessage(effect.message, server.protocol));
        break;
      }
      case 'subscribed':
        this.#subscribed(effect.answer);
        break;
      case 'authorized':
        // The next loss starts with the first server again.
        this.#failures = 0;
        this.#place = -1;
        this.events.emit({ type: 'open', server: this.#connection?.server.text ?? '' });
        break;
      case 'job':
        this.#job = effect.job;
        this.#remember(effect.job);
        this.#emitWork();
        break;
      case 'target':
        if (this.#job === undefined || !effect.isNow) break;
        this.#job = { ...this.#job, shareTarget: effect.shareTarget };
        this.#emitWork();
        break;
      case 'period':
        this.#addKey(effect.period, effect.seed);
        break;
      case 'answered':
        this.#answered(effect);
        break;
      case 'lost':
        this.events.emit({ type: 'given_up' });
        break;
      case 'crowded':
        this.events.emit({ type: 'crowded' });
        break;
      case 'show':
        this.events.emit(effect);
        break;
      case 'reconnect':
        this.#reconnect(effect.address);
        break;
      case 'failed':
        this.#drop(effect.reason);
        break;
      default:
        effect satisfies never;
    }
  }

  #answered(effect: ClientEffect & { readonly type: 'answered' }): void {
    const { isAccepted, refusal, message, block, millis, share } = effect;
    const job = this.#jobs.get(share.job);
    // A refused find has used up no budget: devices that rest after it continue.
    if (!isAccepted && share.job === this.#job?.job) this.#emitWork();
    const difficulty = job === undefined ? this.#difficulty : difficultyOf(job.shareTarget);
    const poolAddress = this.#poolAddress;
    const newestHeight = this.#job?.height;
    const isCounted =
      isAccepted && job !== undefined && newestHeight !== undefined && poolAddress !== undefined;
    this.events.emit({
      type: 'answer',
      isAccepted,
      ...(refusal === undefined ? {} : { refusal }),
      ...(message === undefined ? {} : { message }),
      ...(block === undefined ? {} : { block }),
      difficulty,
      millis,
      ...(isCounted
        ? {
            counted: {
              poolAddress,
              work: difficulty,
              jobHeight: job.height,
              newestHeight,
            },
          }
        : {}),
    });
  }

  #remember({ job, shareTarget, height }: Notify): void {
    this.#jobs.delete(job);
    this.#jobs.set(job, { shareTarget, height });
    for (const oldest of this.#jobs.keys())
      if (this.#jobs.size > JOBS_MAX) this.#jobs.delete(oldest);
      else break;
  }

  /** Goes to another port of the same host once; after a loss the operator's servers are tried again. */
  #reconnect(address: string): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    const { server } = connection;
    this.#connection = undefined;
    connection.transport.close();
    connection.session.disconnect();
    const scheme =
      server.transport === 'ws' ? new URL(server.href).protocol : `svc+${server.transport}:`;
    const form = server.protocol === 'svc-mining-v2' ? '#v2' : '';
    this.#connect(parseServerUrl(`${scheme}//${address}${form}`));
  }

  #subscribed({ pow, isResumed, chainId, poolAddress }: Subscribed): void {
    this.#chainId = toHex(chainId);
    this.#poolAddress = poolAddress;
    this.#sizes = {
      cacheBytes: pow.cacheItems * ITEM_BYTES,
      datasetBytes: pow.datasetPages * PAGE_BYTES,
    };
    this.#keys.clear();
    this.#keys.set(pow.period, { seed: pow.seed, ...this.#sizes });
    this.#keys.set(pow.period + 1, { seed: pow.nextSeed, ...this.#sizes });
    if (isResumed) return;
    this.#job = undefined;
    this.#emitWork();
  }

  #addKey(period: number, seed: Uint8Array): void {
    if (this.#sizes === undefined) return;
    const key = { seed, ...this.#sizes };
    const known = this.#keys.get(period);
    if (known === undefined || !equalBytes(known.seed, seed)) this.#keys.set(period, key);
    for (const oldest of this.#keys.keys())
      if (this.#keys.size > SEEDS_MAX) this.#keys.delete(oldest);
    this.events.emit({ type: 'period', period, key });
  }

  get #difficulty(): bigint {
    return this.#job === undefined ? 0n : difficultyOf(this.#job.shareTarget);
  }

  #emitWork(): void {
    const job = this.#job;
    const session = this.#connection?.session;
    const prefix = session?.prefix;
    const key = job === undefined ? undefined : this.#keys.get(job.period);
    if (job === undefined || session === undefined || prefix === undefined || key === undefined) {
      this.events.emit({ type: 'work', work: undefined, anchorHeight: 0, difficulty: 0n });
      return;
    }
    const header = job.header.slice();
    header.set(prefix, NONCE_OFFSET + NONCE_FREE_BYTES);
    const { period, shareTarget, anchorHeight } = job;
    const isSpentByFind = equalBytes(shareTarget, job.blockTarget);
    const jobId = String(job.job);
    const work: Work = { jobId, period, key, header, shareTarget, isSpentByFind };
    this.#givenBy.set(work, session);
    this.events.emit({ type: 'work', work, anchorHeight, difficulty: this.#difficulty });
  }
}
