/**
 * The node of a development network from one start to its stop: everything that a snapshot replaces.
 */
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { LightPow } from 'svc-mining/pow';
import type { ChainCore } from '../chain/chain-core.ts';
import { type ComposedNode, composeNode } from '../compose/composed-node.ts';
import type { KeptListeners } from '../compose/front.ts';
import { NodeThreads } from '../compose/node-threads.ts';
import { type DevSeat, devSeats, Presence } from './committee.ts';
import { addControlRoutes, type DevControl } from './control.ts';
import { DevClock, PROMPT_CLOCK } from './dev-clock.ts';
import { type DevContext, type DevOptions, devConfig, type Ports } from './dev-config.ts';
import type { DevChain } from './dev-genesis.ts';
import { DevMiner } from './dev-miner.ts';
import type { MemoryDisks } from './memory-disks.ts';
import { MinerTunnel } from './miner-tunnel.ts';

/** Time for the validators to finish a height before the clock jumps to the next. */
const SETTLE_MILLIS = 3;

/**
 * Makes cuts of a development network come when they are asked for: the clock jumps to the time of the next
 * one, and stands still in between if cuts are made by hand only.
 */
class CutMaker {
  readonly #chain: ChainCore;
  readonly #clock: DevClock;
  readonly #isManual: boolean;
  readonly #stop: () => void;
  readonly #waiting = new Set<{ readonly height: number; readonly resolve: () => void }>();
  #wanted = 0;
  #isHasty = false;

  constructor(chain: ChainCore, clock: DevClock, isManual: boolean) {
    this.#chain = chain;
    this.#clock = clock;
    this.#isManual = isManual;
    this.#stop = chain.finalized.on(({ height }) => this.#onCut(height));
    if (isManual) clock.stand();
  }

  /** Resolves when the chain has reached the height. */
  async reach(height: number): Promise<number> {
    if (this.#chain.head.height >= height) return this.#chain.head.height;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add({ height, resolve });
    this.#wanted = Math.max(this.#wanted, height);
    this.#clock.resume();
    this.#hurry();
    await promise;
    return this.#chain.head.height;
  }

  /**
   * Lets each cut follow at once, for as long as nothing else has to happen in between: other validators could miss cuts, and
   * a miner would find its work stale.
   */
  hasten(on: boolean): void {
    this.#isHasty = on;
  }

  close(): void {
    this.#stop();
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #onCut(height: number): void {
    for (const wish of this.#waiting) {
      if (wish.height > height) continue;
      this.#waiting.delete(wish);
      wish.resolve();
    }
    if (height < this.#wanted) this.#hurrySoon();
    else if (this.#isManual) this.#clock.stand();
  }

  #hurrySoon(): void {
    if (this.#isHasty) setImmediate(() => this.#hurry());
    else setTimeout(() => this.#hurry(), SETTLE_MILLIS);
  }

  #hurry(): void {
    if (this.#chain.head.height >= this.#wanted) return;
    this.#clock.jumpTo(Number(this.#chain.next.startAtMs));
  }
}

/**
 * The threads of a development network, which it keeps while it replaces its node: starting them takes longer than
 * everything else that a revert does. One thread hashes, for those who check blocks and for the miner; signatures of a network
 * in memory are checked without any.
 */
export class DevThreads {
  readonly checking: NodeThreads;
  readonly searcher: LightPow;

  constructor(
    { genesis, chainId }: DevChain,
    { parameters, log, onFatal }: DevContext,
    { memory = false }: Pick<DevOptions, 'memory'>,
  ) {
    this.checking = new NodeThreads({
      genesis,
      chainId,
      parameters,
      dataDir: '',
      proofOfWork: { mode: 'light', threads: 1, datasetDir: null },
      hasInlineSignatures: memory,
      clock: SYSTEM_CLOCK,
      log,
      onFatal,
    });
    const { pow } = this.checking;
    if (!(pow instanceof LightPow)) throw new Error('the proof of work is not that of light mode');
    this.searcher = pow;
  }

  async close(): Promise<void> {
    await this.checking.close();
  }
}

interface DevNodeOptions {
  readonly directory: string;
  readonly ports: Ports;
  readonly chain: DevChain;
  readonly options: DevOptions;
  readonly context: DevContext;
  /** The network that the control routes act on. */
  readonly control: DevControl;
  readonly threads: DevThreads;
  readonly listeners: KeptListeners;
  /** In place of the directory. */
  readonly disks: MemoryDisks | undefined;
  /** The time at which the clock stands until a cut is asked for; it begins with the real time if undefined. */
  readonly standsAt: number | undefined;
}

/** The last account is paid for work. */
export const MINER_ACCOUNT = 9;
const GATHERING_ATTEMPTS_MAX = 16;
/** Cuts of a jump between two looks at the mempool. */
const CUTS_PER_GATHERING = 8;

export class DevNode {
  readonly composed: ComposedNode;
  readonly seats: readonly DevSeat[];
  readonly miner: DevMiner;
  readonly presence: Presence;
  readonly #cuts: CutMaker;
  readonly #clock: DevClock;
  readonly #mines: boolean;
  readonly #closing: AsyncDisposableStack;

  static async start(wish: DevNodeOptions): Promise<DevNode> {
    await using starting = new AsyncDisposableStack();
    const { directory, ports, chain: devChain, options, context, control } = wish;
    const { genesis, chainId, keys } = devChain;
    const { threads, listeners, disks, standsAt } = wish;
    const clock = new DevClock(PROMPT_CLOCK, standsAt);
    const config = devConfig(directory, ports, options);
    const tunnel = new MinerTunnel(() => control.minerSocket);
    let seats: DevSeat[] = [];
    const composed = await composeNode({
      config,
      context: { ...context, genesis, chainId },
      clock,
      threads: threads.checking,
      listeners,
      ...(disks === undefined ? {} : { disks }),
      extension: {
        addRoutes: (app) => addControlRoutes(app, control),
        upgrade: (request, socket, head) => tunnel.upgrade(request, socket, head),
      },
      seats: (core) => {
        clock.jumpTo(core.chain.headTimeMillis);
        seats = devSeats(core, keys, clock);
        return seats;
      },
    });
    starting.defer(() => composed.close());
    starting.defer(() => tunnel.close());
    const { core } = composed;
    const drivers = composed.seats.map(({ driver }) => driver);
    const presence = new Presence(core.chain, drivers);
    starting.defer(() => presence.close());
    const cuts = new CutMaker(core.chain, clock, options.cutTime === 'manual');
    starting.defer(() => cuts.close());
    const { chain, templates, blocks } = core;
    const payout = keys.accounts[MINER_ACCOUNT]?.address as string;
    const log = context.log.part('miner');
    const miner = new DevMiner(
      { chain, templates, blocks, searcher: threads.searcher, log },
      { payout },
    );
    starting.defer(() => miner.close());
    if (options.miner && options.bridge !== true) miner.start();
    return new DevNode(
      { composed, seats, presence, cuts, miner, clock, mines: options.miner },
      starting.move(),
    );
  }

  private constructor(
    parts: Pick<DevNode, 'composed' | 'seats' | 'presence' | 'miner'> & {
      readonly cuts: CutMaker;
      readonly clock: DevClock;
      readonly mines: boolean;
    },
    closing: AsyncDisposableStack,
  ) {
    this.composed = parts.composed;
    this.seats = parts.seats;
    this.#cuts = parts.cuts;
    this.#clock = parts.clock;
    this.presence = parts.presence;
    this.miner = parts.miner;
    this.#mines = parts.mines;
    this.#closing = closing;
  }

  /** The time by which cuts are made. */
  get nowMillis(): number {
    return this.#clock.now();
  }

  /** Puts what waits in the mempool into a block now, so that the next cut registers it. */
  async gatherWaiting(): Promise<void> {
    const { chain, mempool } = this.composed.core;
    if (!this.#mines || this.presence.isPaused || mempool.size === 0) return;
    for (let attempts = 1; ; attempts++) {
      const { height } = chain.head;
      try {
        await this.miner.mine(1);
        return;
      } catch (error) {
        // A cut that comes meanwhile makes the work of the earlier one stale.
        if (chain.head.height === height || attempts >= GATHERING_ATTEMPTS_MAX) throw error;
      }
    }
  }

  /** Resolves when the chain has reached the height; throws a `RangeError` if it would never. */
  reach(height: number): Promise<number> {
    if (this.presence.isPaused) throw new RangeError('finality is paused: no cuts can be made');
    return this.#cuts.reach(height);
  }

  /**
   * Goes to a height for the sake of its time: blocks are mined for what waits in the mempool, and none for pay alone.
   * Resolves with the height that was reached, which is lower only if the node was closed.
   */
  async jump(height: number): Promise<number> {
    const { chain } = this.composed.core;
    this.miner.rest(true);
    this.#cuts.hasten(this.seats.length === 1);
    try {
      for (let wanted = 0; wanted < height; ) {
        await this.gatherWaiting();
        wanted = Math.min(height, chain.head.height + CUTS_PER_GATHERING);
        if ((await this.reach(wanted)) < wanted) break;
      }
      return chain.head.height;
    } finally {
      this.#cuts.hasten(false);
      this.miner.rest(false);
    }
  }

  /**
   * Lets so much time pass at once, as on a network that stood still meanwhile: the next cut carries the later time, with what
   * waits in the mempool. Resolves with its height.
   */
  async leap(millis: number): Promise<number> {
    const { chain } = this.composed.core;
    await this.gatherWaiting();
    const height = chain.head.height + 1;
    this.#clock.jumpTo(Math.max(this.nowMillis, chain.headTimeMillis) + millis);
    return this.reach(height);
  }

  async close(): Promise<void> {
    await this.#closing.disposeAsync();
  }
}
