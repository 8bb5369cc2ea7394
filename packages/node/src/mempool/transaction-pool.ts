/**
 * The mempool as the other parts of a node see it.
 */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import type { Chain } from '../ports/chain.ts';
import type {
  Admission,
  Mempool,
  Origin,
  PooledTransaction,
  RemovedTransaction,
  SelectOptions,
} from '../ports/mempool.ts';
import type { SignatureWorkers } from '../workers/signature-workers.ts';
import { Admissions } from './admission.ts';
import { leavingWith } from './leaving.ts';
import { MEMPOOL_LIMITS, type MempoolLimits } from './limits.ts';
import { PoolCore } from './pool-core.ts';
import type { PoolDisk } from './pool-disk.ts';
import { PoolStore } from './pool-store.ts';
import { type Random, SYSTEM_RANDOM } from './random.ts';
import { recheck, restore } from './restoration.ts';
import { selectEntries } from './select.ts';

export interface MempoolPorts {
  readonly chain: Chain;
  readonly workers: Pick<SignatureWorkers, 'checkTransaction' | 'hasRoom' | 'room'>;
  /** Closed with the pool. */
  readonly store: PoolDisk;
  readonly clock: Clock;
  readonly log: Log;
  readonly random?: Random;
  readonly limits?: MempoolLimits;
  /** A write failed; the process has to end. */
  readonly onFatal: (error: Error) => void;
}

export class TransactionPool implements Mempool {
  /** How each submission ended. */
  readonly answered = new Signal<Admission['type']>();
  readonly #ports: MempoolPorts;
  readonly #core: PoolCore;
  readonly #admissions: Admissions;
  readonly #stopFollowing: () => void;
  #rechecked: Promise<void> = Promise.resolve();

  private constructor(ports: MempoolPorts) {
    const { chain, workers, clock, limits = MEMPOOL_LIMITS } = ports;
    this.#ports = ports;
    this.#core = new PoolCore(new PoolStore(ports.store, ports.onFatal), clock, limits);
    this.#admissions = new Admissions({ chain, workers, core: this.#core });
    this.#stopFollowing = chain.finalized.on((cut) =>
      this.#core.remove(leavingWith(this.#core.index, cut)),
    );
  }

  /** Resolves when what was on the disk is back. */
  static async open(ports: MempoolPorts): Promise<TransactionPool> {
    const pool = new TransactionPool(ports);
    const restoration = { ...ports, core: pool.#core, admissions: pool.#admissions };
    const restored = await restore(restoration);
    pool.#rechecked = recheck(restoration, restored, () => pool.#core.store.isClosed);
    return pool;
  }

  get size(): number {
    return this.#core.index.size;
  }

  get bytes(): number {
    return this.#core.index.bytes;
  }

  get mass(): bigint {
    return this.#core.index.mass;
  }

  get added(): Signal<PooledTransaction> {
    return this.#core.added;
  }

  get removed(): Signal<RemovedTransaction> {
    return this.#core.removed;
  }

  get(id: string): PooledTransaction | undefined {
    return this.#core.index.get(id);
  }

  all(): Iterable<PooledTransaction> {
    return this.#core.index.order;
  }

  touching(address: string): readonly PooledTransaction[] {
    return this.#core.index.addresses.touching(address);
  }

  spenderOf(outpoint: string): PooledTransaction | undefined {
    return this.#core.index.spenderOf(outpoint);
  }

  select(options: SelectOptions): PooledTransaction[] {
    const { chain, random = SYSTEM_RANDOM } = this.#ports;
    const ports = {
      order: this.#core.index.order,
      random,
      height: chain.head.height,
      cutIntervalMillis: chain.genesis.paceMillis,
    };
    return selectEntries(ports, options);
  }

  submit(wire: Uint8Array, origin: Origin): Promise<Admission> {
    const { failure, isClosed } = this.#core.store;
    if (failure !== undefined) return Promise.reject(failure);
    if (isClosed) return Promise.reject(new Error('the mempool is closed'));
    return this.#answer(this.#admissions.submit(wire, origin));
  }

  async #answer(admission: Promise<Admission>): Promise<Admission> {
    const answer = await admission;
    this.answered.emit(answer.type);
    return answer;
  }

  /** Resolves when the signatures of what came back after a restart are checked again. */
  get rechecked(): Promise<void> {
    return this.#rechecked;
  }

  /** Forgets a transaction, as if there were no room for it; false if it does not wait here. */
  drop(id: string): boolean {
    const entry = this.#core.index.get(id);
    if (entry === undefined) return false;
    this.#core.remove(new Map([[entry, 'evicted']]));
    return true;
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    if (this.#core.store.isClosed) return;
    this.#stopFollowing();
    await this.#core.store.close();
  }
}
