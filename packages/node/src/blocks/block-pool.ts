/**
 * Work blocks that wait for a cut. A block is checked the cheapest part first and with one hash at most, is on
 * the disk before it counts as accepted, and stays until it is executed or its anchor's window has closed. The pool
 * may be full or refuse to hash; what validators need of a proposal is in `proposal-blocks.ts`. Peers may bring
 * several blocks with one body; a miner of this machine may use a body once while the pool has a block with it.
 */
import { type Clock, type Log, type Rate, Signal } from 'svc-base/pure';
import {
  BLOCKS_PER_CUT_MAX,
  blockFault,
  blockKey,
  isRegistrable,
  RecentBlocks,
  type RegisteredBlock,
  type RegistrationFault,
  type StateView,
} from 'svc-ledger';
import { PowBusyError, type ProofOfWork } from 'svc-mining/pow';
import type {
  BlockAdmission,
  BlockPool,
  Chain,
  FinalizedCut,
  Mempool,
  PooledBlock,
} from 'svc-serve/ports';
import type { KeyValueStore } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import type { Anchors } from './anchors.ts';
import { BlockIndex } from './block-index.ts';
import { BlockStore } from './block-store.ts';
import {
  bodyUsed,
  checkHeader,
  late,
  type Refused,
  refusalOf,
  refused,
  type Settled,
} from './check-header.ts';
import { HashBudget, LOCAL_SOURCE } from './hash-budget.ts';
import { readPooledBlock, readStoredBlock } from './read-block.ts';

/**
 * Which blocks the last cuts registered, read once for each head: hundreds of blocks in a cut name the same
 * few parents, and every list of them is long.
 */
class ParentsMemory {
  readonly #chain: Pick<Chain, 'head' | 'view'>;
  #height = -1;
  #recent: RecentBlocks | undefined;

  constructor(chain: Pick<Chain, 'head' | 'view'>) {
    this.#chain = chain;
  }

  /** For use in the same turn. */
  get recent(): RecentBlocks {
    const { head, view } = this.#chain;
    if (this.#recent === undefined || this.#height !== head.height) {
      this.#height = head.height;
      this.#recent = new RecentBlocks(view, head.height);
    }
    return this.#recent;
  }
}

/**
 * What the next cut may register: the oldest anchors first, then by id, which is also the order of a cut, and of
 * blocks with one body the first. A cut of 256 blocks stays within the limits on bytes and mass, since every single
 * block does.
 */
function registrableBlocks(
  index: BlockIndex,
  view: StateView,
  height: number,
  recent: RecentBlocks,
): PooledBlock[] {
  const chosen: PooledBlock[] = [];
  const bodies = new Set<string>();
  for (const anchor of index.anchors()) {
    if (!isRegistrable(anchor, height)) continue;
    for (const pooled of index.waitingOn(anchor)) {
      if (chosen.length === BLOCKS_PER_CUT_MAX) return chosen;
      const { bodyRoot } = pooled.block;
      if (bodies.has(bodyRoot) || blockFault(view, height, pooled.block, recent) !== null) continue;
      bodies.add(bodyRoot);
      chosen.push(pooled);
    }
  }
  return chosen;
}

type Fault = Exclude<RegistrationFault, 'block_known' | 'outside_window'>;

const FAULTS: Readonly<Record<Fault, readonly [code: string, message: string]>> = {
  body_known: ['body_used', 'the body was used for another block'],
  unknown_parent: ['bad_parents', 'a parent is no block registered in the cuts up to the anchor'],
  too_heavy: ['bad_block', 'the mass of the transactions is above the limit of a block'],
  too_large: ['bad_length', 'the body is longer than the limit of a block'],
  too_many: ['bad_block', 'there are too many blocks'],
  out_of_order: ['bad_block', 'the blocks are out of order'],
};

/**
 * What the ledger has against registering a block in the next cut, as an answer to its source.
 */
function registrationRefusal(
  { view, head }: Pick<Chain, 'view' | 'head'>,
  block: RegisteredBlock,
  recent: RecentBlocks,
): Settled | undefined {
  const fault = blockFault(view, head.height + 1, block, recent);
  if (fault === null) return undefined;
  if (fault === 'block_known') return { type: 'known', id: block.id };
  if (fault === 'outside_window') return late(block.anchorHeight, head.height);
  return refused(...FAULTS[fault]);
}

/** Hashes that the pool has under way at once: half of what the queue takes, so that proposals find room in it. */
const HASHES_AT_ONCE_MAX = 256;

/**
 * The one costly check of a block: its hash. It is made within the budget of its source.
 */
class WorkCheck {
  readonly #pow: Pick<ProofOfWork, 'check'>;
  readonly #budget: HashBudget;
  #underWay = 0;

  /** `common` is what all sources together may spend on hashes that come to nothing. */
  constructor(pow: Pick<ProofOfWork, 'check'>, clock: Clock, common?: Rate) {
    this.#pow = pow;
    this.#budget = new HashBudget(clock, undefined, common);
  }

  async check(header: Uint8Array, source: string): Promise<Refused | undefined> {
    if (this.#underWay >= HASHES_AT_ONCE_MAX)
      return refused('overloaded', `${this.#underWay} hashes are waiting already`);
    if (!this.#budget.charge(source))
      return refused('overloaded', 'too many hashes came to nothing');
    this.#underWay += 1;
    const verdict = await this.#hash(header).finally(() => {
      this.#underWay -= 1;
    });
    if ('code' in verdict || verdict.holds) this.#budget.giveBack(source);
    if ('code' in verdict) return verdict;
    if (verdict.holds) return undefined;
    return refused('target_missed', `the hash ${toHex(verdict.result)} is above the target`);
  }

  async #hash(header: Uint8Array) {
    try {
      return await this.#pow.check(header);
    } catch (error) {
      if (error instanceof PowBusyError) return refused('overloaded', error.message);
      throw error;
    }
  }
}

interface BlockPoolPorts {
  readonly chain: Chain;
  readonly anchors: Anchors;
  readonly mempool: Pick<Mempool, 'get'>;
  readonly pow: Pick<ProofOfWork, 'check'>;
  /** `<data>/blocks`; closed together with the pool. */
  readonly store: KeyValueStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Told once, when a write has failed; the process has to end. */
  readonly onFatal: (error: Error) => void;
}

export interface BlockPoolLimits {
  readonly blocksMax: number;
  readonly bytesMax: number;
  /** Hashes that may come to nothing, of all sources together. */
  readonly hashes?: Rate;
}

const UNKNOWN_SOURCE = 'unknown';
const POOL_LIMITS: BlockPoolLimits = { blocksMax: 16_384, bytesMax: 256 << 20 };

export class WorkBlockPool implements BlockPool {
  readonly accepted = new Signal<PooledBlock>();
  /** How each submission ended. */
  readonly answered = new Signal<BlockAdmission['type']>();
  /** A block whose anchor's window closed before a cut registered it. */
  readonly expired = new Signal<PooledBlock>();
  readonly #ports: BlockPoolPorts;
  readonly #limits: BlockPoolLimits;
  readonly #index = new BlockIndex();
  readonly #store: BlockStore;
  readonly #work: WorkCheck;
  readonly #parents: ParentsMemory;
  readonly #underCheck = new Map<string, Promise<BlockAdmission>>();
  /** Roots of the bodies whose blocks hold and are being written to the disk. */
  readonly #bodiesInWriting = new Set<string>();
  readonly #unfollow: () => void;
  #closing: Promise<void> | undefined;

  /** Reads the blocks that an earlier process left. */
  static async open(ports: BlockPoolPorts, limits?: Partial<BlockPoolLimits>) {
    const pool = new WorkBlockPool(ports, limits ?? {});
    await pool.#load();
    return pool;
  }

  private constructor(ports: BlockPoolPorts, limits: Partial<BlockPoolLimits>) {
    this.#ports = ports;
    this.#limits = { ...POOL_LIMITS, ...limits };
    this.#store = new BlockStore(ports.store, ports.onFatal);
    this.#work = new WorkCheck(ports.pow, ports.clock, limits.hashes);
    this.#parents = new ParentsMemory(ports.chain);
    this.#unfollow = ports.chain.finalized.on((cut) => this.#follow(cut));
  }

  get size(): number {
    return this.#index.size;
  }

  get bytes(): number {
    return this.#index.bytes;
  }

  get(id: string): PooledBlock | undefined {
    return this.#index.get(id);
  }

  carrying(transactionId: string): PooledBlock | undefined {
    return this.#index.carrying(transactionId);
  }

  registrable(height: number): PooledBlock[] {
    const { view } = this.#ports.chain;
    return registrableBlocks(this.#index, view, height, this.#parents.recent);
  }

  async submit(
    header: Uint8Array,
    body: Uint8Array,
    source: string = UNKNOWN_SOURCE,
  ): Promise<BlockAdmission> {
    const admission = await this.#submit(header, body, source);
    this.answered.emit(admission.type);
    return admission;
  }

  async #submit(header: Uint8Array, body: Uint8Array, source: string): Promise<BlockAdmission> {
    const { chain, anchors } = this.#ports;
    const { manifest, view } = chain;
    const isHere = (id: string) => this.#index.get(id) !== undefined;
    const context = { chainId: manifest.chainId, anchors, view, isHere };
    const checked = checkHeader(context, header, body);
    if (checked.type !== 'plausible') return checked;
    const { id, bodyRoot } = checked;
    const earlier = this.#underCheck.get(id);
    if (earlier !== undefined) {
      const verdict = await earlier;
      return verdict.type === 'accepted' ? { type: 'known', id } : verdict;
    }
    if (source === LOCAL_SOURCE && this.#hasBody(bodyRoot)) return bodyUsed();
    const { blocksMax, bytesMax } = this.#limits;
    const waiting = this.#index.size + this.#underCheck.size;
    if (waiting >= blocksMax || this.#index.bytes + header.length + body.length > bytesMax)
      return refused('block_pool_full', `${this.#index.size} blocks wait for a cut`);
    const verdict = this.#admit(header.slice(), body.slice(), source);
    this.#underCheck.set(id, verdict);
    try {
      return await verdict;
    } finally {
      this.#underCheck.delete(id);
    }
  }

  /** Ends after what is under way is on the disk. */
  close(): Promise<void> {
    this.#unfollow();
    this.#closing ??= Promise.allSettled(this.#underCheck.values()).then(() => this.#store.close());
    return this.#closing;
  }

  async #admit(header: Uint8Array, body: Uint8Array, source: string): Promise<BlockAdmission> {
    const unproven = await this.#work.check(header, source);
    if (unproven !== undefined) return unproven;
    const pooled = this.#read(header, body);
    if ('type' in pooled) return pooled;
    const { block, bytes, receivedAtMillis } = pooled;
    const settled = registrationRefusal(this.#ports.chain, block, this.#parents.recent);
    if (settled !== undefined) return settled;
    const { bodyRoot } = block;
    // Blocks with one body are hashed at the same time; the first whose work holds has the body.
    if (source === LOCAL_SOURCE && this.#hasBody(bodyRoot)) return bodyUsed();
    this.#bodiesInWriting.add(bodyRoot);
    await this.#store.put({ ...bytes, receivedAtMillis });
    const isPlaced = this.#place(pooled);
    this.#bodiesInWriting.delete(bodyRoot);
    if (!isPlaced) return late(block.anchorHeight, this.#ports.chain.head.height);
    this.accepted.emit(pooled);
    return { type: 'accepted', id: block.id };
  }

  #hasBody(bodyRoot: string): boolean {
    return this.#index.hasBody(bodyRoot) || this.#bodiesInWriting.has(bodyRoot);
  }

  #read(header: Uint8Array, body: Uint8Array): PooledBlock | Refused {
    try {
      return readPooledBlock(this.#ports, { header, body }, this.#ports.clock.now());
    } catch (error) {
      return refusalOf(error);
    }
  }

  /** Takes a block that is on the disk into the pool, unless the chain is done with it. */
  #place(pooled: PooledBlock): boolean {
    const { view, head } = this.#ports.chain;
    const { id, anchorHeight } = pooled.block;
    const registered = view.get('blocks', blockKey(anchorHeight, id))?.registeredHeight ?? null;
    const isWanted =
      registered === null
        ? isRegistrable(anchorHeight, head.height + 1)
        : registered === head.height;
    if (isWanted) this.#index.add(pooled, registered);
    else this.#store.delete(id);
    return isWanted;
  }

  #follow({ height, input }: FinalizedCut): void {
    for (const { id } of input.executed) this.#remove(id);
    for (const { id } of input.registered) this.#index.recordRegistration(id, height);
    for (const anchor of this.#index.anchors()) {
      if (isRegistrable(anchor, height + 1)) break;
      for (const pooled of this.#index.waitingOn(anchor)) {
        this.#remove(pooled.block.id);
        this.expired.emit(pooled);
      }
    }
  }

  #remove(id: string): void {
    if (this.#index.remove(id) !== undefined) this.#store.delete(id);
  }

  async #load(): Promise<void> {
    const { log } = this.#ports;
    for await (const [id, stored] of this.#store.load()) {
      const pooled = readStoredBlock(this.#ports, id, stored);
      if (pooled !== undefined) this.#place(pooled);
      else {
        log.warn({ block: id }, 'a stored block is damaged and is left out');
        this.#store.delete(id);
      }
    }
    log.info({ blocks: this.#index.size }, 'read the waiting blocks');
  }
}
