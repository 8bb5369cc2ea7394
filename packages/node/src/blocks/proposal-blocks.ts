/**
 * Blocks that proposals for the next height name and the pool does not have: checked as the pool checks them, on the
 * disk before a validator can vote for a cut that needs them, and gone when the height is decided. Neither a full
 * pool nor what strangers have spent of its budget closes this store. What fills it is bounded by what validators can
 * propose: one header has an id, so each id costs one hash at most, and blocks that no cut in progress names any more
 * make room.
 */
import { type Log, Signal } from 'svc-base/pure';
import { isRegistrable } from 'svc-ledger';
import { PowBusyError, type ProofOfWork } from 'svc-mining/pow';
import type { BlockAdmission, BlockPool, Chain, Mempool, PooledBlock } from 'svc-serve/ports';
import type { KeyValueStore } from 'svc-storage';
import type { Anchors } from './anchors.ts';
import { BlockStore } from './block-store.ts';
import { checkHeader, type Refused, refusalOf, refused } from './check-header.ts';
import { readPooledBlock, readStoredBlock } from './read-block.ts';

export interface ProposalBlocksPorts {
  readonly chain: Chain;
  readonly anchors: Anchors;
  /** Blocks that it has are not kept a second time. */
  readonly pool: Pick<BlockPool, 'get' | 'registrable' | 'accepted'>;
  /** Where the transactions of a block may be decoded and checked already. */
  readonly mempool: Pick<Mempool, 'get'>;
  readonly pow: Pick<ProofOfWork, 'check'>;
  /** `<data>/proposals`; closed together with this store. */
  readonly store: KeyValueStore;
  readonly log: Log;
  /** Told once, when a write has failed; the process has to end. */
  readonly onFatal: (error: Error) => void;
}

/** Whether a cut in progress names the block. */
export type IsNeeded = (id: string) => boolean;

/** Four cuts of full blocks; with more, those that nothing in progress names are dropped. */
const UNSWEPT_MAX = 1_024;
/** Ids whose proof of work does not hold; of more, the oldest are hashed again if they come again. */
const VOID_MAX = 4_096;

export class ProposalBlocks implements Pick<BlockPool, 'get' | 'registrable'> {
  /** Blocks of the pool and of this store. */
  readonly accepted = new Signal<PooledBlock>();
  readonly #ports: ProposalBlocksPorts;
  readonly #store: BlockStore;
  readonly #blocks = new Map<string, PooledBlock>();
  readonly #void = new Set<string>();
  readonly #underCheck = new Map<string, Promise<BlockAdmission>>();
  readonly #endings: (() => void)[];
  #closing: Promise<void> | undefined;

  /** Reads what an earlier process may have voted for. */
  static async open(ports: ProposalBlocksPorts): Promise<ProposalBlocks> {
    const blocks = new ProposalBlocks(ports);
    await blocks.#load();
    return blocks;
  }

  private constructor(ports: ProposalBlocksPorts) {
    this.#ports = ports;
    this.#store = new BlockStore(ports.store, ports.onFatal);
    this.#endings = [
      ports.chain.finalized.on(() => this.#clear()),
      ports.pool.accepted.on((block) => this.accepted.emit(block)),
    ];
  }

  /** Of blocks that the pool does not have. */
  get size(): number {
    return this.#blocks.size;
  }

  get(id: string): PooledBlock | undefined {
    return this.#ports.pool.get(id) ?? this.#blocks.get(id);
  }

  registrable(height: number): PooledBlock[] {
    return this.#ports.pool.registrable(height);
  }

  /** Takes a block that a proposal names. Resolves when it is checked and, if it was accepted, on the disk. */
  async submit(
    header: Uint8Array,
    body: Uint8Array,
    isNeeded: IsNeeded = () => true,
  ): Promise<BlockAdmission> {
    const { chain, anchors } = this.#ports;
    const { manifest, view } = chain;
    const isHere = (id: string) => this.get(id) !== undefined;
    const context = { chainId: manifest.chainId, anchors, view, isHere };
    const checked = checkHeader(context, header, body);
    if (checked.type !== 'plausible') return checked;
    const { id } = checked;
    const earlier = this.#underCheck.get(id);
    if (earlier !== undefined) return earlier;
    if (this.#void.has(id)) return MISSED;
    if (this.#blocks.size >= UNSWEPT_MAX) this.#sweep(isNeeded);
    const verdict = this.#admit(id, header.slice(), body.slice());
    this.#underCheck.set(id, verdict);
    try {
      return await verdict;
    } finally {
      this.#underCheck.delete(id);
    }
  }

  /** Ends after what is under way is on the disk. */
  close(): Promise<void> {
    for (const end of this.#endings) end();
    this.#closing ??= Promise.allSettled(this.#underCheck.values()).then(() => this.#store.close());
    return this.#closing;
  }

  async #admit(id: string, header: Uint8Array, body: Uint8Array): Promise<BlockAdmission> {
    const { chain } = this.#ports;
    const { height } = chain.head;
    const unproven = await this.#checkWork(id, header);
    if (unproven !== undefined) return unproven;
    const read = this.#read(header, body);
    if ('type' in read) return read;
    await this.#store.put({ ...read.bytes, receivedAtMillis: read.receivedAtMillis });
    if (chain.head.height !== height) {
      this.#store.delete(id);
      return refused('late', 'the height of the proposal was decided meanwhile');
    }
    this.#blocks.set(id, read);
    this.accepted.emit(read);
    return { type: 'accepted', id };
  }

  async #checkWork(id: string, header: Uint8Array): Promise<Refused | undefined> {
    try {
      const { holds } = await this.#ports.pow.check(header);
      if (holds) return undefined;
    } catch (error) {
      if (error instanceof PowBusyError) return refused('overloaded', error.message);
      throw error;
    }
    for (const oldest of this.#void) {
      if (this.#void.size < VOID_MAX) break;
      this.#void.delete(oldest);
    }
    this.#void.add(id);
    return MISSED;
  }

  /** The age of a block counts where it waits to be registered; this store registers nothing. */
  #read(header: Uint8Array, body: Uint8Array): PooledBlock | Refused {
    try {
      return readPooledBlock(this.#ports, { header, body }, 0);
    } catch (error) {
      return refusalOf(error);
    }
  }

  #sweep(isNeeded: IsNeeded): void {
    for (const id of [...this.#blocks.keys()]) if (!isNeeded(id)) this.#remove(id);
  }

  #clear(): void {
    for (const id of [...this.#blocks.keys()]) this.#remove(id);
    this.#void.clear();
  }

  #remove(id: string): void {
    this.#blocks.delete(id);
    this.#store.delete(id);
  }

  async #load(): Promise<void> {
    const { chain, log } = this.#ports;
    for await (const [id, stored] of this.#store.load()) {
      const read = readStoredBlock(this.#ports, id, stored);
      if (read !== undefined && isRegistrable(read.block.anchorHeight, chain.head.height + 1))
        this.#blocks.set(id, read);
      else this.#store.delete(id);
    }
    log.info({ blocks: this.#blocks.size }, 'read the blocks of proposals');
  }
}

const MISSED = refused('target_missed', 'the hash is above the target');
