/**
 * A server for miners: takes connections, runs their sessions, checks shares, sends blocks, hands out jobs. The
 * value of a share is decided by `onShare` of bridge or pool.
 */
import { randomBytes } from 'node:crypto';
import type { MiningChainDocument } from 'svc-api';
import { type Clock, type Log, messageOf } from 'svc-base/pure';
import {
  BanBook,
  JobBook,
  judgeShare,
  type Miner,
  NoncePrefixes,
  type Offence,
  type PendingShare,
  type Refusal,
  ServerSession,
  type ServerSessionOptions,
  SessionBook,
  type VardiffOptions,
} from 'svc-mining';
import { PowBusyError, type PowPeriods, type ProofOfWork } from 'svc-mining/pow';
import { fromHex, type Network } from 'svc-wasm/base';
import type { BlockAnswer, NodeState, WorkSource } from '../node/work-source.ts';
import { BODY_CHARACTERS_MAX } from './body-cache.ts';
import { Connection, type ConnectionEvents } from './connection.ts';
import { JobGroups, type TemplateSource } from './job-groups.ts';
import type { Statistics } from './report/statistics.ts';
import { sourceOf } from './source-of.ts';
import type { Transport, TransportEvents } from './transport.ts';

export interface StratumPorts {
  readonly source: TemplateSource &
    Pick<WorkSource, 'height' | 'heights' | 'state' | 'states' | 'submit'>;
  readonly pow: ProofOfWork;
  readonly periods: PowPeriods;
  readonly statistics: Statistics;
  readonly clock: Clock;
  readonly log: Log;
  /** Writes the share down; it is acknowledged when this has resolved. */
  readonly onShare?: (share: PendingShare, block: BlockAnswer | undefined) => Promise<void>;
}

export interface StratumOptions {
  readonly chain: MiningChainDocument;
  readonly vardiff: VardiffOptions;
  /** A pool receives the rewards itself, and pays its miners. */
  readonly poolAddress?: string;
  /** A pool may write its own name into blocks. */
  readonly poolTag?: string;
  readonly connectionsMax?: number;
  readonly connectionsPerSourceMax?: number;
  /** Characters of the bodies of all open jobs together. */
  readonly bodyCharactersMax?: number;
}

const CONNECTIONS_MAX = 20_000;
const CONNECTIONS_PER_SOURCE_MAX = 1_024;
const TICK_MILLIS = 2_000;

/** The body of the job was used for a block before. */
const USED: BlockAnswer = { result: 'used' };

const STATE_TEXTS: Readonly<Record<NodeState, string>> = {
  ready: 'the node is back: new work follows',
  behind: 'the node is behind the network: go on with the work you have',
  away: 'the node does not answer: go on with the work you have',
};

export class StratumServer implements ConnectionEvents {
  readonly #ports: StratumPorts;
  readonly #options: StratumOptions;
  readonly #jobs: JobBook;
  readonly #sessions: SessionBook;
  readonly #groups: JobGroups;
  readonly #bans = new BanBook();
  readonly #connections = new Set<Connection>();
  readonly #bySource = new Map<string, number>();
  readonly #sessionOptions: ServerSessionOptions;
  readonly #stops: (() => void)[] = [];
  #stopTick: () => void = () => {};
  #toldPeriod = -1;

  constructor(ports: StratumPorts, options: StratumOptions) {
    const { source, periods, clock, log, statistics } = ports;
    this.#ports = ports;
    this.#options = options;
    const jobs = new JobBook({ first: randomBytes(4).readUInt32BE() });
    const prefixes = new NoncePrefixes(randomBytes(4).readUInt32BE());
    const random = (length: number) => new Uint8Array(randomBytes(length));
    this.#jobs = jobs;
    this.#sessions = new SessionBook({ jobs, prefixes, random });
    const onFanout = (millis: number, count: number) => statistics.addFanout(millis, count);
    const { chain, vardiff, poolAddress, bodyCharactersMax = BODY_CHARACTERS_MAX } = options;
    const groupPorts = { jobs, source, periods, clock, log, onFanout };
    this.#groups = new JobGroups(groupPorts, bodyCharactersMax);
    this.#sessionOptions = {
      network: chain.network as Network,
      chainId: fromHex(chain.chain_id, 'chain_id', 48),
      vardiff,
      ...(poolAddress === undefined ? {} : { poolAddress }),
    };
    this.#stops.push(source.heights.on((height) => this.#advance(height)));
    this.#stops.push(source.states.on((state) => this.#tellState(state)));
    jobs.advance(source.height);
    this.#tick();
  }

  get connections(): number {
    return this.#connections.size;
  }

  get jobs(): number {
    return this.#jobs.size;
  }

  get addresses(): number {
    return this.#groups.size;
  }

  /** Bans since the start, and those that hold now. */
  get bans(): { readonly total: number; readonly active: number } {
    const active = this.#bans.active(this.#ports.clock.monotonic()).length;
    return { total: this.#bans.bans, active };
  }

  /** Takes a socket of any listener. Undefined if there is no room or its source is banned. */
  readonly accept = (transport: Transport): TransportEvents | undefined => {
    const { clock, statistics } = this.#ports;
    const source = sourceOf(transport.remoteAddress);
    const { connectionsMax = CONNECTIONS_MAX } = this.#options;
    const { connectionsPerSourceMax = CONNECTIONS_PER_SOURCE_MAX } = this.#options;
    const fromSource = this.#bySource.get(source) ?? 0;
    const isFull =
      this.#connections.size >= connectionsMax || fromSource >= connectionsPerSourceMax;
    if (isFull || this.#bans.isBanned(source, clock.monotonic())) {
      statistics.addRefusal(isFull ? 'full' : 'banned');
      return undefined;
    }
    const connection = new Connection(transport, source, this, (owner) => this.#session(owner));
    this.#connections.add(connection);
    this.#bySource.set(source, fromSource + 1);
    return {
      receive: (bytes) => connection.receive(bytes, clock.monotonic()),
      closed: () => connection.close(true),
    };
  };

  authorized(connection: Connection, tag: string): void {
    const { statistics, source } = this.#ports;
    const { poolAddress, poolTag } = this.#options;
    const miner = connection.session.miner as Miner;
    statistics.addConnection(miner);
    if (!this.#groups.join(connection, poolAddress ?? miner.address, poolTag ?? tag)) {
      statistics.addRefusal('full');
      connection.close(false);
      return;
    }
    if (source.state !== 'ready')
      connection.apply(connection.session.tell({ type: 'show', text: STATE_TEXTS[source.state] }));
  }

  check(connection: Connection, share: PendingShare): void {
    void this.#check(connection, share).catch((error: unknown) => {
      this.#ports.log.error({ reason: messageOf(error) }, 'a share could not be handled');
      connection.apply(
        connection.session.settle(share, { type: 'not_checked', refusal: 'internal' }),
      );
    });
  }

  refused(connection: Connection, refusal: Refusal): void {
    this.#ports.statistics.addRefusal(refusal, connection.session.miner);
  }

  offended({ source }: Connection, offence: Offence): boolean {
    const isBanned = this.#bans.record(source, offence, this.#ports.clock.monotonic());
    if (isBanned) this.#ports.log.info({ source, offence }, 'a source is banned for a while');
    return isBanned;
  }

  closed(connection: Connection): void {
    this.#connections.delete(connection);
    this.#groups.leave(connection);
    const left = (this.#bySource.get(connection.source) ?? 1) - 1;
    if (left > 0) this.#bySource.set(connection.source, left);
    else this.#bySource.delete(connection.source);
    const { miner } = connection.session;
    if (miner !== undefined) this.#ports.statistics.removeConnection(miner);
  }

  close(): void {
    this.#stopTick();
    this.#groups.close();
    for (const stop of this.#stops) stop();
    for (const connection of this.#connections) connection.close(true);
  }

  async #check(connection: Connection, share: PendingShare): Promise<void> {
    const { pow, clock, statistics, onShare } = this.#ports;
    const { session } = connection;
    const began = clock.monotonic();
    const hash = await this.#hash(pow, share.header);
    statistics.addCheck(clock.monotonic() - began);
    if (hash === undefined) {
      connection.apply(session.settle(share, { type: 'not_checked', refusal: 'too_fast' }));
      return;
    }
    const verdict = judgeShare(this.#jobs, share, hash);
    if (verdict === 'low_difficulty') {
      connection.apply(session.settle(share, { type: 'low_difficulty' }));
      return;
    }
    // The block is on its way before anything is counted or written.
    const sending = verdict === 'block' ? this.#sendBlock(share) : undefined;
    const answer = verdict === 'used_block' ? USED : await sending;
    const block = answer?.result;
    await onShare?.(share, answer);
    statistics.addShare(share, block);
    connection.apply(
      session.settle(share, {
        type: 'accepted',
        ...(block === undefined ? {} : { block }),
        ...(answer?.reason === undefined ? {} : { blockReason: answer.reason }),
      }),
    );
  }

  /** Undefined if too many wait already. */
  async #hash(pow: ProofOfWork, header: Uint8Array): Promise<Uint8Array | undefined> {
    try {
      return (await pow.check(header)).result;
    } catch (error) {
      if (error instanceof PowBusyError) return undefined;
      throw error;
    }
  }

  async #sendBlock(share: PendingShare): Promise<BlockAnswer> {
    const { source, log } = this.#ports;
    const bodyHex = this.#groups.bodyOf(share.job);
    if (bodyHex === undefined) return { result: 'late', reason: 'the job has ended' };
    const sending = source.submit(share.job, share.nonce, bodyHex);
    this.#groups.replace(share.job);
    const answer = await sending;
    const { address, worker } = share.miner;
    const fields = { address, worker, height: share.job.anchorHeight, result: answer.result };
    log.info({ ...fields, block: answer.blockId ?? null }, 'a block was found');
    return answer;
  }

  #session(owner: object): ServerSession {
    const ports = { jobs: this.#jobs, sessions: this.#sessions, pow: () => this.#pow() };
    return new ServerSession(ports, this.#sessionOptions, owner, this.#ports.clock.monotonic());
  }

  #pow() {
    const { chain } = this.#options;
    const { periods, source } = this.#ports;
    const period = periods.ofHeight(source.height);
    return {
      cacheItems: chain.pow.cache_items,
      datasetPages: chain.pow.dataset_pages,
      period,
      seed: periods.keyOf(period).seed,
      nextSeed: periods.keyOf(period + 1).seed,
    };
  }

  #advance(height: number): void {
    const { pow, periods, log } = this.#ports;
    this.#jobs.advance(height);
    this.#sessions.sweep();
    this.#groups.refreshAll();
    void pow.prepare(height).catch((error: unknown) => {
      log.error({ reason: messageOf(error) }, 'the proof of work could not be prepared');
    });
    const period = periods.ofHeight(height + periods.aheadCuts);
    if (period === periods.ofHeight(height) || period === this.#toldPeriod) return;
    this.#toldPeriod = period;
    const startsHeight = period * this.#options.chain.pow.period_cuts;
    const { seed } = periods.keyOf(period);
    for (const connection of this.#connections)
      connection.apply(connection.session.tell({ type: 'period', period, seed, startsHeight }));
  }

  #tellState(state: NodeState): void {
    this.#ports.log.info({ state }, 'the state of the node has changed');
    const text = STATE_TEXTS[state];
    for (const connection of this.#connections)
      connection.apply(connection.session.tell({ type: 'show', text }));
  }

  #tick(): void {
    const { clock } = this.#ports;
    for (const connection of this.#connections)
      connection.apply(connection.session.tick(clock.monotonic()));
    this.#stopTick = clock.after(TICK_MILLIS, () => this.#tick());
  }
}
