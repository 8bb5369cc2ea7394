/**
 * The mempool. A submission passes the cheap checks, then one call to a worker for its signatures, then the
 * checks again that may have changed meanwhile; it is answered when it is on the disk.
 *
 * After a restart everything that was acknowledged is held against the state again and comes back unless that
 * refuses it now. Signatures are not checked for it; see `pool-record.ts`.
 */
import type { ExecutableTransaction } from 'svc-ledger';
import type { KeyValueStore } from 'svc-storage';
import { equalBytes, isRefusal } from 'svc-wasm/base';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import type { Chain, FinalizedCut } from '../ports/chain.ts';
import type {
  Admission,
  Mempool,
  Origin,
  PooledTransaction,
  RemovalReason,
  RemovedTransaction,
  SelectOptions,
} from '../ports/mempool.ts';
import { WorkersError } from '../workers/errors.ts';
import type { SignatureWorkers } from '../workers/signature-workers.ts';
import { leavingWith } from './leaving.ts';
import { MEMPOOL_LIMITS, type MempoolLimits } from './limits.ts';
import { conflictWith, roomFor } from './pool-checks.ts';
import { PoolEntry } from './pool-entry.ts';
import { PoolIndex } from './pool-index.ts';
import type { PoolRecord } from './pool-record.ts';
import { PoolStore } from './pool-store.ts';
import { type Random, SYSTEM_RANDOM } from './random.ts';
import { type Known, known, type Refused, refuse, refuseFor } from './refusal.ts';
import { RefusedWires } from './refused-wires.ts';
import { selectEntries } from './select.ts';
import { type Findings, StateChecks } from './state-checks.ts';

export interface MempoolPorts {
  readonly chain: Chain;
  readonly workers: Pick<SignatureWorkers, 'checkTransaction' | 'hasRoom'>;
  /** Closed with the pool. */
  readonly store: KeyValueStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly random?: Random;
  readonly limits?: MempoolLimits;
  /** A write failed; the process has to end. */
  readonly onFatal: (error: Error) => void;
}

interface Flight {
  readonly wire: Uint8Array;
  readonly admission: Promise<Admission>;
}

const RESTORED_PER_TURN = 256;

export class TransactionPool implements Mempool {
  readonly added = new Signal<PooledTransaction>();
  readonly removed = new Signal<RemovedTransaction>();
  readonly #ports: MempoolPorts;
  readonly #limits: MempoolLimits;
  readonly #random: Random;
  readonly #checks: StateChecks;
  readonly #index = new PoolIndex();
  readonly #store: PoolStore;
  readonly #refused = new RefusedWires();
  readonly #inFlight = new Map<string, Flight>();
  readonly #stopFollowing: () => void;
  #latestMillis = 0;
  #isClosed = false;

  private constructor(ports: MempoolPorts) {
    this.#ports = ports;
    this.#limits = ports.limits ?? MEMPOOL_LIMITS;
    this.#random = ports.random ?? SYSTEM_RANDOM;
    this.#checks = new StateChecks(ports.chain);
    this.#store = new PoolStore(ports.store, ports.onFatal);
    this.#stopFollowing = ports.chain.finalized.on((cut) => this.#follow(cut));
  }

  static async open(ports: MempoolPorts): Promise<TransactionPool> {
    const pool = new TransactionPool(ports);
    await pool.#restore();
    return pool;
  }

  get size(): number {
    return this.#index.size;
  }

  get bytes(): number {
    return this.#index.bytes;
  }

  get mass(): bigint {
    return this.#index.mass;
  }

  get(id: string): PooledTransaction | undefined {
    return this.#index.get(id);
  }

  all(): Iterable<PooledTransaction> {
    return this.#index.order;
  }

  touching(address: string): readonly PooledTransaction[] {
    return this.#index.addresses.touching(address);
  }

  spenderOf(outpoint: string): PooledTransaction | undefined {
    return this.#index.spenderOf(outpoint);
  }

  select(options: SelectOptions): PooledTransaction[] {
    const { chain } = this.#ports;
    const ports = {
      order: this.#index.order,
      random: this.#random,
      height: chain.head.height,
      cutIntervalMillis: chain.genesis.paceMillis,
    };
    return selectEntries(ports, options);
  }

  async submit(wire: Uint8Array, origin: Origin): Promise<Admission> {
    this.#expectUsable();
    const transaction = this.#decode(wire);
    if ('type' in transaction) return transaction;
    const { id } = transaction;
    const pooled = this.#index.get(id);
    if (pooled !== undefined) return this.#knownAs(pooled);
    const twin = this.#inFlight.get(id);
    if (twin !== undefined && equalBytes(twin.wire, wire)) {
      const admission = await twin.admission;
      return admission.type === 'accepted' ? known(id) : admission;
    }
    const flight = { wire, admission: this.#admit(transaction, wire, origin) };
    this.#inFlight.set(id, flight);
    try {
      return await flight.admission;
    } finally {
      if (this.#inFlight.get(id) === flight) this.#inFlight.delete(id);
    }
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopFollowing();
    await this.#store.close();
  }

  #expectUsable(): void {
    if (this.#store.failure !== undefined) throw this.#store.failure;
    if (this.#isClosed) throw new Error('the mempool is closed');
  }

  #decode(wire: Uint8Array): ExecutableTransaction | Refused {
    try {
      return this.#ports.chain.transactions.decode(wire);
    } catch (error) {
      if (isRefusal(error)) return refuseFor(error);
      throw error;
    }
  }

  /** What is known is on the disk, or is not known. */
  async #knownAs({ id, written }: PoolEntry): Promise<Admission> {
    await written;
    return known(id);
  }

  async #admit(
    transaction: ExecutableTransaction,
    wire: Uint8Array,
    origin: Origin,
  ): Promise<Admission> {
    const before = this.#refused.get(transaction.id, wire);
    if (before !== undefined) return before;
    const found = this.#check(transaction, origin);
    if (found.type !== 'found') return found;
    const refusal = await this.#checkSignatures(found);
    this.#expectUsable();
    if (refusal !== null) return refusal;
    const pooled = this.#index.get(transaction.id);
    if (pooled !== undefined) return this.#knownAs(pooled);
    const still = this.#check(transaction, origin, found);
    return still.type === 'found' ? this.#insert(still, origin) : still;
  }

  /** All checks but signatures; what was found at the same head earlier is not looked up again. */
  #check(
    transaction: ExecutableTransaction,
    origin: Origin,
    earlier?: Findings,
  ): Findings | Refused | Known {
    const conflict = conflictWith(this.#index, transaction);
    if (conflict !== null) return conflict;
    const isCurrent = earlier?.height === this.#ports.chain.head.height;
    const found = isCurrent ? earlier : this.#checks.look(transaction);
    if (found.type !== 'found') return found;
    const room = roomFor(this.#index, this.#limits, this.#newcomer(found, origin));
    if (room !== undefined) return found;
    return refuse('mempool_full', 'expected a better fee rate than the lowest that waits');
  }

  #newcomer({ transaction, fee }: Findings, origin: Origin) {
    const wire = this.#ports.chain.transactions.wireOf(transaction);
    return { fee, mass: transaction.mass, bytes: wire.length, origin };
  }

  async #checkSignatures(found: Findings): Promise<Refused | null> {
    const { workers, chain } = this.#ports;
    const request = this.#checks.request(found);
    if ('type' in request) return request;
    if (!workers.hasRoom('submission'))
      return refuse('overloaded', 'too many signatures wait to be checked');
    try {
      const refusal = await workers.checkTransaction(request, 'submission');
      const { transaction, spent, owner } = found;
      if (refusal === null) {
        chain.transactions.accept(transaction, spent, owner);
        return null;
      }
      const refused = refuseFor(refusal);
      this.#refused.remember(transaction.id, request.wire, refused);
      return refused;
    } catch (error) {
      if (error instanceof WorkersError) return refuse('unavailable', error.message);
      throw error;
    }
  }

  async #insert(found: Findings, origin: Origin): Promise<Admission> {
    const evicted = roomFor(this.#index, this.#limits, this.#newcomer(found, origin)) ?? [];
    for (const entry of evicted) this.#index.remove(entry);
    this.#latestMillis = Math.max(this.#latestMillis, this.#ports.clock.now());
    const entry = this.#add(found, origin, this.#latestMillis);
    entry.written = this.#store.add(entry, evicted);
    for (const pooled of evicted) this.removed.emit({ pooled, reason: 'evicted' });
    this.added.emit(entry);
    await entry.written;
    return { type: 'accepted', id: entry.id };
  }

  #add(found: Findings, origin: Origin, receivedAtMillis: number): PoolEntry {
    const { transaction, spent, fee } = found;
    const wire = this.#ports.chain.transactions.wireOf(transaction);
    const entry = new PoolEntry({ transaction, wire, spent, fee, origin, receivedAtMillis });
    this.#index.add(entry);
    return entry;
  }

  #follow(cut: FinalizedCut): void {
    const leaving = leavingWith(this.#index, cut);
    this.#leave(leaving);
  }

  #leave(leaving: ReadonlyMap<PoolEntry, RemovalReason>): void {
    for (const entry of leaving.keys()) this.#index.remove(entry);
    this.#store.remove([...leaving.keys()].map(({ id }) => id));
    for (const [pooled, reason] of leaving) this.removed.emit({ pooled, reason });
  }

  async #restore(): Promise<void> {
    const { records, damaged } = await this.#store.load();
    const dropped: string[] = [];
    for (const [place, record] of records.entries()) {
      if (place % RESTORED_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
      if (!this.#restoreOne(record)) dropped.push(record.id);
    }
    this.#store.remove(dropped);
    this.#store.forget(damaged);
    if (records.length + damaged.length === 0) return;
    const counts = { restored: this.size, dropped: dropped.length, damaged: damaged.length };
    this.#ports.log.info(counts, 'the mempool was restored');
  }

  #restoreOne({ wire, origin, receivedAtMillis }: PoolRecord): boolean {
    const transaction = this.#decode(wire);
    if ('type' in transaction || this.#index.get(transaction.id) !== undefined) return false;
    const found = this.#check(transaction, origin);
    if (found.type !== 'found') return false;
    const evicted = roomFor(this.#index, this.#limits, this.#newcomer(found, origin)) ?? [];
    if (evicted.length > 0) return false;
    this.#latestMillis = Math.max(this.#latestMillis, receivedAtMillis);
    this.#add(found, origin, receivedAtMillis);
    return true;
  }
}
