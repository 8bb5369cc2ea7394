/**
 * A full node of the simulation: the node's chain on a store in memory, its pool of blocks, and a validator with real
 * bytes and real signatures, on the clock, disk and network of the world.
 */
import { type Clock, SILENT_LOG } from 'svc-base/pure';
import {
  decodeSignState,
  SILENT_CUTS,
  type SignedMessage,
  type WireMessage,
} from 'svc-consensus/machine';
import {
  type HeartbeatSender,
  type MessageCodec,
  type ValidatorBlocks,
  type ValidatorKey,
  type ValidatorOverlay,
  ValidatorStartError,
} from 'svc-consensus/shell';
import {
  Anchors,
  ChainCore,
  ProposalBlocks,
  TransactionPool,
  WireCodec,
  WorkBlockPool,
} from 'svc-node/chain';
import { MemoryStore } from 'svc-storage';
import { checkTransactionBytes } from 'svc-wasm/protocol';
import { SIMULATED_CRASH, SimulatedCrash } from '../base/failure.ts';
import { Random } from '../base/random.ts';
import type { NodePlan } from '../plan/node-plan.ts';
import { ByteDisk } from './byte-disk.ts';
import type { FullSetting } from './full-setting.ts';
import { NodePeers, type NodePeersPorts, PEERING_OPTIONS, ProofQueue } from './node-peers.ts';
import type { BlockGates, NodeRules } from './node-rules.ts';
import { NodeSeats, type NodeSeatsPorts } from './node-seats.ts';

/** What whole nodes, their peers and the watches over them use of the world. */
export interface FullWorld {
  readonly plan: NodePlan;
  readonly rules: NodeRules;
  readonly now: number;
  readonly healedAtMs: number | undefined;
  readonly setting: FullSetting;
  readonly random: Random;
  /** Validators, then observers. */
  readonly nodes: readonly FullNode[];
  readonly validators: readonly FullNode[];
  neighboursOf(index: number): string[];
  send(from: number, to: string, packet: Uint8Array): void;
  /** Whether bytes pass between two nodes at the moment. */
  isOpen(from: number, to: number): boolean;
  callLater(delayMs: number, call: () => void): () => void;
  /** The turn does not end before this promise has settled. */
  await(promise: Promise<unknown>): void;
  crashesNow(): boolean;
  onSigned(index: number, message: SignedMessage, key: ValidatorKey): void;
  onFinalized(node: FullNode, height: number, cutId: string, stateRoot: string): void;
  onCrash(node: FullNode): void;
  onKeyStopped(node: FullNode): void;
  /** A node is up and can be reached by its peers. */
  onPeersOpened(node: FullNode): void;
  /** A block was found on a node, which has to pass it on to the others. */
  onMined(blockId: string): void;
  onRemoved(node: FullNode, transactionId: string, reason: string): void;
  /** Whether a proof of work holds. */
  readonly proofHolds: (header: Uint8Array) => boolean;
  fail(checker: string, detail: string): void;
}

/** Who withholds blocks gives one now and then. */
const WITHHOLDER_ANSWER_RATE = 0.4;
const SPENT_BUDGET = { burst: 1, perSecond: 0.2 };
const NO_COSTS = { proofMs: 0, cutMs: 0 };
const NO_HASH = new Uint8Array(32);

export class FullNode {
  readonly index: number;
  readonly id: string;
  /** An observer has none. */
  readonly key: ValidatorKey | undefined;
  readonly #world: FullWorld;
  readonly #random: Random;
  #disk = new ByteDisk();
  /** A key whose record is lost starts a new one. */
  #hasLostDisk = false;
  #life = 0;
  #chain: ChainCore | undefined;
  #pool: WorkBlockPool | undefined;
  #proposals: ProposalBlocks | undefined;
  #gates: BlockGates | undefined;
  #proofs: ProofQueue | undefined;
  #mempool: TransactionPool | undefined;
  #peers: NodePeers | undefined;
  #seats: NodeSeats | undefined;
  /** When the process started. */
  upSinceMs = 0;
  #listener: (from: string, packet: Uint8Array) => void = () => {};
  /** How far its wall clock is from that of the world. */
  clockOffsetMs = 0;
  isUp = false;
  isGone = false;

  constructor(world: FullWorld, index: number) {
    const { keys, validatorIds } = world.setting;
    this.index = index;
    this.id = validatorIds[index] ?? `observer ${index}`;
    this.key = keys[index];
    this.#world = world;
    this.#random = new Random(world.plan.seed, 5_000 + index);
  }

  get chain(): ChainCore {
    if (this.#chain === undefined) throw new Error(`node ${this.index} was never started`);
    return this.#chain;
  }

  /** That of the genesis before the first start. */
  get height(): number {
    return this.#chain?.head.height ?? 0;
  }

  /** Those of the process that runs, if the seed has peers. */
  get mempool(): TransactionPool | undefined {
    return this.#mempool;
  }

  get peers(): NodePeers | undefined {
    return this.#peers;
  }

  get hasLostDisk(): boolean {
    return this.#hasLostDisk;
  }

  /** Where the silence of the record after a lost disk began, if its key has stopped since. */
  get stoppedAfterNewRecordAt(): number | undefined {
    if (!this.#hasLostDisk || this.key === undefined) return undefined;
    const bytes = this.#disk.filesOf(this.key).signState.read();
    const record = bytes === undefined ? undefined : decodeSignState(bytes);
    if (record?.stopped !== true) return undefined;
    return Math.max(0, record.silentThrough - SILENT_CUTS);
  }

  get heartbeats(): HeartbeatSender | null | undefined {
    return this.#seats?.heartbeats;
  }

  isKeyRunning(key: ValidatorKey): boolean {
    return this.#seats?.isRunning(key) === true;
  }

  /** Whether it neither hears nor signs because its chain may not be current. */
  get isWaiting(): boolean {
    return this.isUp && this.#seats?.status.signing === 'paused';
  }

  /** Opens everything from what is on the disk. */
  async start(): Promise<void> {
    const world = this.#world;
    const { genesis, parameters } = world.setting;
    const clock = this.#clock();
    this.#proofs = new ProofQueue(clock, world.plan.outage ?? NO_COSTS);
    const onFatal = this.#fatalOf();
    const chain = await ChainCore.open({
      directory: `node ${this.index}`,
      disk: this.#disk.chain,
      genesis,
      parameters,
      mode: 'archive',
      clock,
      log: SILENT_LOG,
      onFatal,
    });
    const mempool = world.plan.peers === undefined ? undefined : await this.#openMempool(chain);
    const { pool, proposals } = await this.#openBlocks(chain, clock, mempool);
    const gates = world.rules.gatesOf(pool, proposals);
    chain.useBlocks(proposals);
    const proofs = this.#proofs;
    chain.finalized.on(({ height, cutId, result }) => {
      proofs.onCut();
      if (this.isUp) world.onFinalized(this, height, cutId, result.stateRoot);
    });
    this.#chain = chain;
    this.#pool = pool;
    this.#proposals = proposals;
    this.#gates = gates;
    this.#mempool = mempool;
    this.isUp = true;
    this.upSinceMs = world.now;
    if (mempool !== undefined) await this.#openPeers({ chain, pool, mempool, clock, proofs });
    if (this.key === undefined) return;
    try {
      const blocks = this.#blocksOf(proposals, gates);
      this.#seats = this.#takeSeats(this.key, { chain, blocks, mempool, clock });
    } catch (error) {
      this.#onFatal(error);
    }
  }

  async #openMempool(chain: ChainCore): Promise<TransactionPool> {
    const world = this.#world;
    const mempool = await TransactionPool.open({
      chain,
      workers: {
        checkTransaction: async (request) => {
          const refusal = checkTransactionBytes(request, chain.manifest);
          return refusal && { code: refusal.code, message: refusal.message };
        },
        hasRoom: () => true,
        room: async () => {},
      },
      store: this.#disk.mempool,
      clock: this.#clock(),
      log: SILENT_LOG,
      random: { below: (limit) => this.#random.integer(0, limit - 1) },
      onFatal: this.#fatalOf(),
    });
    mempool.removed.on(({ pooled, reason }) => {
      if (this.isUp) world.onRemoved(this, pooled.id, reason);
    });
    world.await(mempool.rechecked.catch(() => {}));
    return mempool;
  }

  async #openPeers(parts: Omit<NodePeersPorts, 'id' | 'await'>): Promise<void> {
    const world = this.#world;
    const { plan, rules } = world;
    const lagMs = this.key === undefined ? (plan.peers?.lagMs ?? 0) : 0;
    const uploadBytesPerSecond = plan.peers?.pests.uploadBytesPerSecond ?? 0;
    const peers = new NodePeers(
      {
        ...parts,
        id: `node ${this.index}`,
        clock: rules.peerClockOf(parts.clock),
        await: (promise) => world.await(promise),
      },
      rules.peeringOf({ ...PEERING_OPTIONS, lagMs, uploadBytesPerSecond }),
      rules,
    );
    this.#peers = peers;
    await peers.start();
    world.onPeersOpened(this);
  }

  async #openBlocks(chain: ChainCore, clock: Clock, mempool: TransactionPool | undefined) {
    const { plan, rules, proofHolds } = this.#world;
    const { poolBlocksMax, budgetsAreSpent } = plan;
    const shared = {
      chain,
      anchors: await Anchors.open(chain),
      mempool: mempool ?? { get: () => undefined },
      pow: {
        check: async (header: Uint8Array) => ({ holds: proofHolds(header), result: NO_HASH }),
      },
      log: SILENT_LOG,
      onFatal: this.#fatalOf(),
    };
    const pool = await WorkBlockPool.open(
      { ...shared, clock, store: this.#disk.blocks },
      {
        ...(poolBlocksMax === undefined ? {} : { blocksMax: poolBlocksMax }),
        ...(budgetsAreSpent ? { hashes: SPENT_BUDGET } : {}),
      },
    );
    const store = rules.keepsProposalBlocks ? this.#disk.proposals : new MemoryStore();
    return { pool, proposals: await ProposalBlocks.open({ ...shared, pool, store }) };
  }

  #takeSeats(
    key: ValidatorKey,
    parts: Pick<NodeSeatsPorts, 'chain' | 'blocks' | 'mempool' | 'clock'>,
  ): NodeSeats {
    const world = this.#world;
    const { rotation } = world.setting;
    const isRotated = world.plan.rotation?.validator === this.index;
    const ports = {
      ...parts,
      ...this.#speaking(new WireCodec(parts.chain.wire)),
      place: `node ${this.index}`,
      peers: this.#peers,
      disk: this.#disk,
      rules: world.rules,
      random: () => this.#random.unit(),
      await: (promise: Promise<unknown>) => world.await(promise),
      onEffect: () => {
        if (world.crashesNow()) throw SIMULATED_CRASH;
      },
      onSigned: (message: SignedMessage, by: ValidatorKey) =>
        world.onSigned(this.index, message, by),
      onFatal: this.#fatalOf(),
    };
    return new NodeSeats(ports, {
      key,
      hasLostDisk: this.#hasLostDisk,
      next: isRotated ? rotation?.next : undefined,
      feeKey: rotation?.feeKeys[this.index],
    });
  }

  /** Blocks as the validator sees them; the world waits for what it submits. */
  #blocksOf(proposals: ProposalBlocks, gates: BlockGates): ValidatorBlocks {
    return {
      accepted: proposals.accepted,
      get: (id) => proposals.get(id),
      submit: (header, ...rest) => this.#checked(header, () => gates.forProposal(header, ...rest)),
    };
  }

  /** The way to the others, and what a withholder does not let pass on it. */
  #speaking(codec: MessageCodec): {
    readonly overlay: ValidatorOverlay;
    readonly codec: MessageCodec;
  } {
    const world = this.#world;
    const withheld = new WeakSet<Uint8Array>();
    const isWithholder = world.plan.withholders.has(this.index);
    const encode = (message: WireMessage): Uint8Array => {
      const packet = codec.encode(message);
      const isKept = isWithholder && message.kind === 'block';
      if (isKept && !this.#random.chance(WITHHOLDER_ANSWER_RATE)) withheld.add(packet);
      return packet;
    };
    const send = (to: string, packet: Uint8Array): void => {
      if (!withheld.has(packet)) world.send(this.index, to, packet);
    };
    return {
      codec: {
        encode,
        decode: (packet) => codec.decode(packet),
        sizeOf: (packet) => codec.sizeOf(packet),
        keyOf: (packet) => codec.keyOf(packet),
        signedBytes: (message) => codec.signedBytes(message),
        blockIdOf: (message) => codec.blockIdOf(message),
      },
      overlay: {
        neighbours: () => world.neighboursOf(this.index),
        broadcast: (packet) => {
          for (const to of world.setting.validatorIds) send(to, packet);
        },
        send,
        listen: (listener) => {
          this.#listener = listener;
        },
        setCommittee: () => {},
      },
    };
  }

  #clock(): Clock {
    const world = this.#world;
    const life = this.#life;
    const { timeMillis } = world.setting.genesis;
    return {
      now: () => Math.floor(timeMillis + world.now + this.clockOffsetMs),
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
  submit(header: Uint8Array, body: Uint8Array): void {
    const gates = this.#gates;
    if (this.isUp && gates !== undefined)
      this.#checked(header, () => gates.fromMiner(header, body)).catch(() => {});
  }

  /** Submits a block once its proof is checked; the world waits for what follows. */
  #checked<T>(header: Uint8Array, submit: () => Promise<T>): Promise<T> {
    const submitted = (): Promise<T> => {
      const answer = submit();
      this.#world.await(answer);
      return answer;
    };
    return this.#proofs?.after(header, submitted) ?? submitted();
  }

  /** The process ends here and now; what was not synced may be lost. */
  crash(): void {
    if (!this.isUp) return;
    this.#stop();
    this.#disk.crash(this.#random);
    this.#world.onCrash(this);
  }

  /** The disk is replaced by an empty one. */
  loseDisk(): void {
    this.#disk = new ByteDisk();
    this.#hasLostDisk = true;
  }

  /** What has failed in the process that runs now; work that a process leaves when it ends fails without consequence. */
  #fatalOf(): (error: unknown) => void {
    const life = this.#life;
    return (error) => {
      if (this.#life === life) this.#onFatal(error);
    };
  }

  #onFatal(error: unknown): void {
    if (error instanceof SimulatedCrash) {
      this.crash();
      return;
    }
    this.#stop();
    if (this.#hasLostDisk && isStopped(error)) {
      this.#world.onKeyStopped(this);
      return;
    }
    const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    this.#world.fail('fatal', `node ${this.index}: ${detail}`);
  }

  async close(): Promise<void> {
    this.#stop();
    await this.#mempool?.close();
    await this.#proposals?.close();
    await this.#pool?.close();
    await this.#chain?.close();
  }

  #stop(): void {
    this.isUp = false;
    this.#life += 1;
    this.#seats?.close();
    this.#peers?.close();
    this.#mempool?.close().catch(() => {});
    // The queues of pool and chain end what they have begun; their stores keep what was committed.
    this.#proposals?.close().catch(() => {});
    this.#pool?.close().catch(() => {});
    this.#chain?.close().catch(() => {});
  }
}

function isStopped(error: unknown): boolean {
  return error instanceof ValidatorStartError && error.reason === 'key_in_use_elsewhere';
}
