/**
 * A server and many miners under one seed: virtual time, links that are slow, break and cut messages in pieces, and
 * miners that lie. The server is the pure one with a hash of its own; everything that it credits is written down.
 */
import { createHash } from 'node:crypto';
import {
  distribute,
  encodeMessage,
  type Job,
  JobBook,
  JobSeries,
  judgeShare,
  type Message,
  MessageStream,
  NoncePrefixes,
  type PendingShare,
  PplnsWindow,
  type Protocol,
  type ServerEffect,
  ServerSession,
  SessionBook,
  targetOf,
} from 'svc-mining';
import { SvcError, toHex } from 'svc-wasm/base';
import { Random } from '../../../protocol/test/generate/random.ts';
import { CHAIN_ID, NETWORK, POW } from '../samples.ts';

export interface Link {
  readonly protocol: Protocol;
  /** What the miner's end is called with. */
  receive(bytes: Uint8Array): void;
  closed(): void;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly call: () => void;
}

const REWARD = 1_562_500_007n;
/** Five for three miners: the time between blocks is the same, however many there are. */
const BLOCK_DIFFICULTY = { of: 5, miners: 3 } as const;
const CUT_MILLIS = 2_500;

export function hashOf(header: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(header).digest());
}

export class World {
  readonly random: Random;
  readonly jobs: JobBook = new JobBook();
  /** Jobs of the world replace each other. */
  readonly #series = new JobSeries();
  readonly prefixes: NoncePrefixes;
  readonly sessions: SessionBook;
  /** Shares that were credited, by job and nonce, and how often. */
  readonly credited = new Map<string, number>();
  /** Which session has a prefix for a job. */
  readonly holders = new Map<string, string>();
  readonly credits = new Map<string, bigint>();
  readonly window = new PplnsWindow(4_096n);
  readonly refusals = new Map<string, number>();
  /** Shares that were refused since none could be checked, and not for their number. */
  unchecked = 0;
  rewards = 0n;
  fees = 0n;
  carried = 0n;
  now = 0;
  /** The next one last. */
  readonly #timers: Timer[] = [];
  readonly #servers = new Set<ServerLink>();
  #order = 0;
  #height = 1;
  #job: Job | undefined;
  readonly #blockTarget: Uint8Array;

  constructor(seed: string, miners: number) {
    this.random = new Random(seed);
    const { of, miners: each } = BLOCK_DIFFICULTY;
    this.#blockTarget = targetOf(BigInt(Math.ceil((of * miners) / each)));
    this.prefixes = new NoncePrefixes(0, 1 << 16);
    const { jobs, prefixes } = this;
    const random = (length: number) => this.random.bytes(length).slice();
    this.sessions = new SessionBook({ jobs, prefixes, random });
    this.#cut();
  }

  get job(): Job {
    return this.#job as Job;
  }

  get height(): number {
    return this.#height;
  }

  /** Difficulties of the connections that are open now, ascending. */
  get difficulties(): readonly bigint[] {
    return [...this.#servers]
      .map(({ difficulty }) => difficulty)
      .toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  }

  after(millis: number, call: () => void): void {
    const timer = { at: this.now + millis, order: this.#order++, call };
    let [low, high] = [0, this.#timers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(timer, this.#timers[middle] as Timer)) low = middle + 1;
      else high = middle;
    }
    this.#timers.splice(low, 0, timer);
  }

  run(untilMillis: number): void {
    for (;;) {
      const timer = this.#timers.at(-1);
      if (timer === undefined || timer.at > untilMillis) break;
      this.#timers.pop();
      this.now = timer.at;
      timer.call();
    }
    this.now = untilMillis;
  }

  connect(link: Link): ServerLink {
    const server = new ServerLink(this, link);
    this.#servers.add(server);
    return server;
  }

  forget(server: ServerLink): void {
    this.#servers.delete(server);
  }

  credit(share: PendingShare, isBlock: boolean): void {
    const key = `${share.job.number} ${toHex(share.nonce)}`;
    this.credited.set(key, (this.credited.get(key) ?? 0) + 1);
    this.window.add(share.miner.address, share.difficulty);
    if (!isBlock) return;
    const { carried } = this;
    const window = this.window.snapshot();
    const round = distribute({ reward: REWARD, carried, feeBasisPoints: 100n, window });
    this.rewards += REWARD;
    this.fees += round.fee;
    this.carried = round.leftover;
    for (const { account, atoms } of round.credits)
      this.credits.set(account, (this.credits.get(account) ?? 0n) + atoms);
    this.#newJob();
  }

  #cut(): void {
    this.#height++;
    this.jobs.advance(this.#height);
    this.sessions.sweep();
    this.#newJob();
    this.after(CUT_MILLIS, () => this.#cut());
  }

  #newJob(): void {
    const header = new Uint8Array(312);
    header.set(this.random.bytes(288));
    const anchorHeight = this.#height;
    const window = { anchorHeight, expiresHeight: anchorHeight + 6, period: 0 };
    this.#job = this.jobs.add({ header, blockTarget: this.#blockTarget, ...window }, this.#series);
    for (const server of this.#servers) server.offer(this.#job);
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** The server's end of a link. */
export class ServerLink {
  readonly #world: World;
  readonly #link: Link;
  readonly #stream = new MessageStream();
  readonly #session: ServerSession;
  #token = '';
  #isClosed = false;

  constructor(world: World, link: Link) {
    const { jobs, sessions } = world;
    this.#world = world;
    this.#link = link;
    const options = {
      network: NETWORK,
      chainId: CHAIN_ID,
      vardiff: { start: 4n, least: 2n },
      shares: { perSecond: 4, burst: 8 },
    };
    this.#session = new ServerSession({ jobs, sessions, pow: () => POW }, options, this, world.now);
  }

  get difficulty(): bigint {
    return this.#session.difficulty;
  }

  receive(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    try {
      for (const message of this.#stream.push(bytes))
        this.#apply(this.#session.receive(message, this.#world.now));
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      this.#apply(this.#session.receiveBroken(error.message));
    }
  }

  offer(job: Job): void {
    if (this.#isClosed) return;
    this.#apply(this.#session.offer(job, false));
    this.#apply(this.#session.tick(this.#world.now));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#session.disconnect();
    this.#world.forget(this);
    this.#link.closed();
  }

  #apply(effects: readonly ServerEffect[]): void {
    for (const effect of effects) {
      if (effect.type === 'send') this.#send(effect.message);
      if (effect.type === 'authorized') this.offer(this.#world.job);
      if (effect.type === 'check') this.#check(effect.share);
      if (effect.type === 'replaced') (effect.owner as ServerLink).close();
      if (effect.type === 'refused') this.#count(effect.refusal);
      if (effect.type === 'close') this.close();
    }
  }

  #count(refusal: string): void {
    const { refusals } = this.#world;
    refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
  }

  /** Checks take a while, and now and then none can be made. */
  #check(share: PendingShare): void {
    const world = this.#world;
    world.after(world.random.below(40), () => {
      if (world.random.chance(2)) {
        world.unchecked++;
        const outcome = { type: 'not_checked', refusal: 'too_fast' } as const;
        this.#apply(this.#session.settle(share, outcome));
        return;
      }
      const verdict = judgeShare(world.jobs, share, hashOf(share.header));
      if (verdict === 'low_difficulty') {
        this.#apply(this.#session.settle(share, { type: 'low_difficulty' }));
        return;
      }
      world.credit(share, verdict === 'block');
      this.#apply(this.#session.settle(share, { type: 'accepted' }));
    });
  }

  #send(message: Message): void {
    const world = this.#world;
    if (message.type === 'subscribed') this.#token = toHex(message.session);
    if (message.type === 'notify') {
      const key = `${message.job} ${toHex(this.#session.prefix as Uint8Array)}`;
      const holder = world.holders.get(key);
      if (holder !== undefined && holder !== this.#token)
        throw new Error(`the prefix of job ${message.job} went to two sessions`);
      world.holders.set(key, this.#token);
    }
    this.#link.receive(encodeMessage(message, this.#link.protocol));
  }
}
