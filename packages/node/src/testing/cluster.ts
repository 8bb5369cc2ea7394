/**
 * Validators of a development network in one process, for tests: each with a chain of its own on a real disk,
 * real keys and signatures, and messages that can be delayed or lost. Only proof of work is left out.
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, type Log, SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory } from 'svc-base/testing';
import {
  type SignStateChoice,
  type Validator,
  type ValidatorFaults,
  ValidatorKey,
} from 'svc-consensus/shell';
import {
  developmentGenesis,
  type Genesis,
  genesisBondId,
  LEDGER_PARAMETERS,
  validatorIdOf,
} from 'svc-ledger';
import { withInterval } from 'svc-ledger/testing';
import type { FinalizedCut } from 'svc-serve/ports';
import { init } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { hashLabel } from 'svc-wasm/protocol';
import { ChainCore, type ChainOptions } from '../chain/chain-core.ts';
import { type DevKeys, devKeys } from '../dev/dev-genesis.ts';
import { type Delay, LocalHub } from '../validator/local-overlay.ts';
import { type NodeValidatorOptions, startNodeValidator } from '../validator/start-validator.ts';
import { ValidatorDirectory } from '../validator/validator-disk.ts';
import { MemoryBlocks } from './cluster-blocks.ts';
import { makeBlock } from './fixture-block.ts';

export interface ClusterOptions {
  /** Where the directory is made; among other temporary files if absent. */
  readonly root?: string;
  readonly validators?: number;
  readonly paceMillis?: number;
  /** Cuts of an epoch. */
  readonly interval?: number;
  readonly delay?: Delay;
  /** All validators stand on the chain and the blocks of the first. */
  readonly isShared?: boolean;
  readonly clock?: Clock;
  readonly logOf?: (place: number) => Log;
  readonly faultsOf?: (place: number, cluster: Cluster) => ValidatorFaults | undefined;
}

const WAIT_MILLIS_MAX = 120_000;

/** One validator: its chain, blocks and driver. */
export class ClusterNode {
  readonly cluster: Cluster;
  readonly place: number;
  readonly directory: string;
  readonly cuts: FinalizedCut[] = [];
  #chain: ChainCore | undefined;
  #blocks: MemoryBlocks | undefined;
  #driver: Validator | undefined;

  constructor(cluster: Cluster, place: number) {
    this.cluster = cluster;
    this.place = place;
    this.directory = join(cluster.directory, String(place));
  }

  get chain(): ChainCore {
    return this.#chain as ChainCore;
  }

  get blocks(): MemoryBlocks {
    return this.#blocks as MemoryBlocks;
  }

  get driver(): Validator {
    return this.#driver as Validator;
  }

  get key(): ValidatorKey {
    return this.cluster.key(this.place);
  }

  get validatorId(): string {
    return this.cluster.validatorId(this.place);
  }

  async openChain(): Promise<void> {
    const { clock } = this.cluster;
    if (this.#isGuest) {
      const host = this.cluster.node(0);
      this.#chain = host.chain;
      this.#blocks = host.blocks;
      return;
    }
    this.#chain = await ChainCore.open(this.cluster.chainOptions(join(this.directory, 'chain')));
    this.#blocks = new MemoryBlocks(this.chain, clock);
    this.chain.useBlocks(this.blocks);
    this.chain.finalized.on((cut) => this.cuts.push(cut));
  }

  get #isGuest(): boolean {
    return this.cluster.options.isShared === true && this.place > 0;
  }

  async start(signState: SignStateChoice = 'first'): Promise<void> {
    await this.openChain();
    await this.startDriver(signState);
  }

  async startDriver(
    signState: SignStateChoice = 'first',
    more: Pick<NodeValidatorOptions, 'isCurrent'> = {},
  ): Promise<void> {
    const { cluster, chain, blocks, key, place } = this;
    const faults = cluster.options.faultsOf?.(place, cluster);
    this.#driver = await startNodeValidator({
      chain,
      blocks,
      key,
      signState,
      overlay: cluster.hub.join(this.validatorId),
      disk: new ValidatorDirectory(join(this.directory, 'validator')),
      clock: cluster.clock,
      log: cluster.options.logOf?.(place) ?? SILENT_LOG,
      onFatal: (error) => cluster.fatal.push(error),
      ...(faults === undefined ? {} : { faults }),
      ...more,
    });
  }

  /** Ends the driver and the chain; nothing is said to the others. */
  async stop(): Promise<void> {
    this.#driver?.close();
    this.#driver = undefined;
    if (!this.#isGuest) await this.#chain?.close();
  }
}

export class Cluster {
  static async create(options: ClusterOptions = {}): Promise<Cluster> {
    await init();
    return new Cluster(options);
  }

  readonly options: ClusterOptions;
  readonly clock: Clock;
  readonly keys: DevKeys;
  readonly genesis: Genesis;
  readonly directory: string;
  readonly hub: LocalHub;
  readonly nodes: readonly ClusterNode[];
  readonly fatal: unknown[] = [];
  readonly #validatorKeys: readonly ValidatorKey[];
  #serial = 0;

  private constructor(options: ClusterOptions) {
    this.options = options;
    this.directory = temporaryDirectory(undefined, options.root ?? tmpdir());
    this.clock = options.clock ?? SYSTEM_CLOCK;
    const count = options.validators ?? 4;
    this.keys = devKeys(count);
    this.#validatorKeys = this.keys.consensus.map(({ seed }) => ValidatorKey.fromSeed(seed));
    this.genesis = developmentGenesis({
      accounts: this.keys.accounts.map(({ address }) => address),
      validators: this.keys.consensus.map(({ publicKey }, index) => ({
        consensusPublicKey: publicKey,
        endpoint: Uint8Array.of(1, index),
      })),
      timeMillis: this.clock.now(),
      paceMillis: options.paceMillis ?? 100,
    });
    this.hub = new LocalHub(this.clock, options.delay);
    this.nodes = Array.from({ length: count }, (_, place) => new ClusterNode(this, place));
  }

  node(place: number): ClusterNode {
    return this.nodes[place] as ClusterNode;
  }

  key(place: number): ValidatorKey {
    return this.#validatorKeys[place] as ValidatorKey;
  }

  /** As the genesis gives it, also when the validator is gone. */
  validatorId(place: number): string {
    return validatorIdOf(hashLabel, genesisBondId(hashLabel, place));
  }

  chainOptions(directory: string): ChainOptions {
    const interval = this.options.interval ?? LEDGER_PARAMETERS.development.interval;
    return {
      directory,
      genesis: this.genesis,
      parameters: withInterval(LEDGER_PARAMETERS.development, interval),
      mode: 'archive',
      cacheBytes: 1 << 20,
      clock: this.clock,
      log: SILENT_LOG,
      onFatal: (error) => this.fatal.push(error),
    };
  }

  async startAll(): Promise<void> {
    for (const node of this.nodes) await node.start();
  }

  async stopAll(): Promise<void> {
    for (const node of this.nodes.toReversed()) await node.stop();
  }

  /** Ends everything and removes the files. */
  async end(): Promise<void> {
    await this.stopAll();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Waits until the chains of these nodes have reached a height. */
  async reach(height: number, places: readonly number[] = this.nodes.keys().toArray()) {
    await this.until(
      () => places.every((place) => this.node(place).chain.head.height >= height),
      () => `height ${height}; ${places.map((place) => this.node(place).chain.head.height)}`,
    );
  }

  async until(holds: () => boolean, what: () => string): Promise<void> {
    const end = Date.now() + WAIT_MILLIS_MAX;
    while (!holds()) {
      if (this.fatal.length > 0) throw this.fatal[0];
      if (Date.now() > end) throw new Error(`waited too long for ${what()}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** A block on the head of a node that carries these transactions, given to some of the nodes. */
  async mine(
    wires: readonly Uint8Array[],
    { on = 0, to = this.nodes.keys().toArray() }: { on?: number; to?: readonly number[] } = {},
  ): Promise<string> {
    const { chain } = this.node(on);
    const { bytes } = makeBlock({
      view: chain.view,
      head: chain.head,
      manifest: chain.manifest,
      payout: this.keys.accounts[9]?.address ?? '',
      tag: 'cluster',
      serial: ++this.#serial,
      wires,
      transactions: wires.map((wire) => chain.transactions.decode(wire)),
      receivedAtMillis: 0,
    });
    for (const place of to) await this.node(place).blocks.submit(bytes.header, bytes.body);
    return bytes.id;
  }

  /** How the heads of nodes name a height, which must be one way. */
  idsAt(height: number): Set<string | undefined> {
    return new Set(this.nodes.map(({ chain }) => chain.recentCutId(height)));
  }

  /** The seat of a validator in the set in progress, as the chain of a node has it. */
  indexOf(place: number, on = place): number {
    const { publicKey } = this.key(place);
    const { validators } = this.node(on).chain.next.validators;
    return validators.findIndex((validator) => toHex(validator.publicKey) === toHex(publicKey));
  }
}
