/**
 * The mempool as the other parts of a node see it. Begin reading here: a submission goes through
 * `admission.ts` and `checks.ts` into `pool-contents.ts`, which keeps it in memory (`pool-index.ts`,
 * `rate-order.ts`) and on the disk (`pool-store.ts`, `journal.ts`); `select.ts` draws templates from it, and
 * `restoration.ts` brings it back after a restart.
 */
import { type Clock, type Log, Signal } from 'svc-base/pure';
import type {
  Admission,
  Chain,
  Mempool,
  Origin,
  PooledTransaction,
  RemovedTransaction,
  SelectOptions,
} from 'svc-serve/ports';
import type { SignatureChecks } from '../workers/signature-checks.ts';
import { Admissions } from './admission.ts';
import { leavingWith, MEMPOOL_LIMITS, type MempoolLimits, PoolContents } from './pool-contents.ts';
import { type PoolDisk, PoolStore } from './pool-store.ts';
import { recheck, restore } from './restoration.ts';
import { type Random, SYSTEM_RANDOM, selectTransactions } from './select.ts';

export interface MempoolPorts {
  readonly chain: Chain;
  readonly workers: Pick<SignatureChecks, 'checkTransaction' | 'hasRoom' | 'room'>;
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
  readonly #contents: PoolContents;
  readonly #admissions: Admissions;
  readonly #stopFollowing: () => void;
  #rechecked: Promise<void> = Promise.resolve();

  private constructor(ports: MempoolPorts) {
    const { chain, workers, clock, limits = MEMPOOL_LIMITS } = ports;
    this.#ports = ports;
    this.#contents = new PoolContents(new PoolStore(ports.store, ports.onFatal), clock, limits);
    this.#admissions = new Admissions({ chain, workers, contents: this.#contents });
    this.#stopFollowing = chain.finalized.on((cut) =>
      this.#contents.remove(leavingWith(this.#contents.index, cut)),
    );
  }

  /** Resolves when the transactions that were on the disk wait again. */
  static async open(ports: MempoolPorts): Promise<TransactionPool> {
    const pool = new TransactionPool(ports);
    const restoration = { ...ports, contents: pool.#contents, admissions: pool.#admissions };
    const restored = await restore(restoration);
    pool.#rechecked = recheck(restoration, restored, () => pool.#contents.store.isClosed);
    return pool;
  }

  get size(): number {
    return this.#contents.index.size;
  }

  get bytes(): number {
    return this.#contents.index.bytes;
  }

  get mass(): bigint {
    return this.#contents.index.mass;
  }

  get added(): Signal<PooledTransaction> {
    return this.#contents.added;
  }

  get removed(): Signal<RemovedTransaction> {
    return this.#contents.removed;
  }

  get(id: string): PooledTransaction | undefined {
    return this.#contents.index.get(id);
  }

  all(): Iterable<PooledTransaction> {
    return this.#contents.index.order;
  }

  touching(address: string): readonly PooledTransaction[] {
    return this.#contents.index.addresses.touching(address);
  }

  spenderOf(outpoint: string): PooledTransaction | undefined {
    return this.#contents.index.spenderOf(outpoint);
  }

  select(options: SelectOptions): PooledTransaction[] {
    const { chain, random = SYSTEM_RANDOM } = this.#ports;
    const ports = {
      order: this.#contents.index.order,
      random,
      height: chain.head.height,
      cutIntervalMillis: chain.genesis.paceMillis,
    };
    return selectTransactions(ports, options);
  }

  submit(wire: Uint8Array, origin: Origin): Promise<Admission> {
    const { failure, isClosed } = this.#contents.store;
    if (failure !== undefined) return Promise.reject(failure);
    if (isClosed) return Promise.reject(new Error('the mempool is closed'));
    return this.#answer(this.#admissions.submit(wire, origin));
  }

  async #answer(admission: Promise<Admission>): Promise<Admission> {
    const answer = await admission;
    this.answered.emit(answer.type);
    return answer;
  }

  /** Resolves when the signatures of all restored transactions are checked again. */
  get rechecked(): Promise<void> {
    return this.#rechecked;
  }

  /** Forgets a transaction because it was told to, for reasons that the pool does not know; false if it is not here. */
  drop(id: string): boolean {
    const pooled = this.#contents.index.get(id);
    if (pooled === undefined) return false;
    this.#contents.remove(new Map([[pooled, 'unknown']]));
    return true;
  }

  /** Resolves when the disk has what the pool has. */
  settled(): Promise<void> {
    return this.#contents.store.settled();
  }

  /** Resolves when all writes are done and the disk is closed. */
  async close(): Promise<void> {
    if (this.#contents.store.isClosed) return;
    this.#stopFollowing();
    await this.#contents.store.close();
  }
}
