/**
 * A full node of the simulation: the node's chain on a store in memory, a pool of blocks, and a validator with real
 * bytes and real signatures, on the clock, disk and network of the world.
 */
import { type Clock, SILENT_LOG } from 'svc-base/pure';
import type { SignedMessage } from 'svc-finality';
import { ChainCore, ChainPort, MemoryBlocks, WireCodec } from 'svc-node/chain';
import { HeightFiles, LocalVoteChecks, Validator, type ValidatorKey } from 'svc-validator';
import { Random } from '../base/random.ts';
import { SimulatedCrash } from '../node/node.ts';
import { ByteDisk } from './byte-disk.ts';
import type { FullSetting } from './full-setting.ts';

/** What a full node asks of its world. */
export interface FullWorld {
  readonly seed: number;
  readonly now: number;
  readonly setting: FullSetting;
  neighboursOf(index: number): string[];
  send(from: number, to: string, packet: Uint8Array): void;
  callLater(delayMs: number, call: () => void): () => void;
  crashesNow(): boolean;
  onSigned(index: number, message: SignedMessage): void;
  onFinalized(node: FullNode, height: number, cutId: string, stateRoot: string): void;
  onCrash(node: FullNode): void;
  fail(checker: string, detail: string): void;
}

export class FullNode {
  readonly index: number;
  readonly id: string;
  readonly key: ValidatorKey;
  readonly disk = new ByteDisk();
  readonly #world: FullWorld;
  readonly #random: Random;
  #life = 0;
  #chain: ChainCore | undefined;
  #blocks: MemoryBlocks | undefined;
  #validator: Validator | undefined;
  #listener: (from: string, packet: Uint8Array) => void = () => {};
  isUp = false;

  constructor(world: FullWorld, index: number) {
    const { keys, validatorIds } = world.setting;
    this.index = index;
    this.id = validatorIds[index] as string;
    this.key = keys[index] as ValidatorKey;
    this.#world = world;
    this.#random = new Random(world.seed, 5_000 + index);
  }

  get chain(): ChainCore {
    if (this.#chain === undefined) throw new Error(`node ${this.index} was never started`);
    return this.#chain;
  }

  get height(): number {
    return this.chain.head.height;
  }

  /** Opens everything from what is on the disk. */
  async start(): Promise<void> {
    const world = this.#world;
    const { genesis, parameters } = world.setting;
    const clock = this.#clock();
    const log = SILENT_LOG;
    const chain = await ChainCore.open({
      directory: `node ${this.index}`,
      disk: this.disk.chain,
      genesis,
      parameters,
      mode: 'archive',
      clock,
      log,
      onFatal: (error) => this.#onFatal(error),
    });
    const blocks = new MemoryBlocks(chain, clock);
    chain.useBlocks(blocks);
    for (const { header, body } of this.disk.blocks) await blocks.submit(header, body);
    chain.finalized.on(({ height, cutId, result }) => {
      if (this.isUp) world.onFinalized(this, height, cutId, result.stateRoot);
    });
    this.#chain = chain;
    this.#blocks = blocks;
    this.isUp = true;
    try {
      this.#validator = this.#startValidator(chain, blocks, clock);
    } catch (error) {
      this.#onFatal(error);
    }
  }

  #startValidator(chain: ChainCore, blocks: MemoryBlocks, clock: Clock): Validator {
    const world = this.#world;
    const { wire } = chain;
    const { disk } = this;
    return Validator.start<Uint8Array>({
      chain: new ChainPort(chain),
      blocks,
      key: this.key,
      files: {
        place: `node ${this.index}`,
        lock: { acquire: () => true, release: () => {} },
        signState: disk.signState,
        records: new HeightFiles({ wire, log: disk.log, cuts: disk.cuts }),
      },
      signState: disk.signState.read() === undefined ? 'first' : 'existing',
      clock,
      soon: (call) => void clock.after(0, call),
      random: () => this.#random.unit(),
      log: SILENT_LOG,
      onFatal: (error) => this.#onFatal(error),
      codec: new WireCodec(wire),
      checks: new LocalVoteChecks(wire.chainId),
      overlay: {
        neighbours: () => world.neighboursOf(this.index),
        broadcast: (packet) => {
          for (const to of world.setting.validatorIds) world.send(this.index, to, packet);
        },
        send: (to, packet) => world.send(this.index, to, packet),
        listen: (listener) => {
          this.#listener = listener;
        },
        setCommittee: () => {},
      },
      probe: {
        onEffect: () => {
          if (world.crashesNow()) throw new SimulatedCrash();
        },
        onSigned: (message) => world.onSigned(this.index, message),
      },
    });
  }

  #clock(): Clock {
    const world = this.#world;
    const life = this.#life;
    return {
      now: () => Math.floor(world.now),
      monotonic: () => world.now,
      after: (delayMillis, call) =>
        world.callLater(delayMillis, () => {
          if (this.#life === life) call();
        }),
    };
  }

  receive(from: string, packet: Uint8Array): void {
    if (this.isUp) this.#listener(from, packet);
  }

  /** A block that a miner has found reaches the pool. */
  async submit(header: Uint8Array, body: Uint8Array): Promise<void> {
    if (!this.isUp || this.#blocks === undefined) return;
    const { type } = await this.#blocks.submit(header, body);
    if (type === 'accepted') this.disk.blocks.push({ header, body });
  }

  #onFatal(error: unknown): void {
    if (error instanceof SimulatedCrash) {
      this.#stop();
      this.disk.crash(this.#random);
      this.#world.onCrash(this);
      return;
    }
    this.#stop();
    const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    this.#world.fail('fatal', `node ${this.index}: ${detail}`);
  }

  async close(): Promise<void> {
    this.#stop();
    await this.#chain?.close();
  }

  #stop(): void {
    this.isUp = false;
    this.#life += 1;
    this.#validator?.close();
    // The queue of the chain ends what it has begun; the store keeps what was committed.
    this.#chain?.close().catch(() => {});
  }
}
