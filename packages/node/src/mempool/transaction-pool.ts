/**
 * The mempool as the other parts of a node see it. Begin reading here: a submission goes through
 * `admission.ts` and `checks.ts` into `pool-contents.ts`, which keeps it in memory (`pool-index.ts`,
 * `rate-order.ts`) and on the disk (`pool-store.ts`, `journal.ts`); `select.ts` draws templates from it.
 */
import { type Clock, type Log, Signal } from 'svc-base/pure';
import type {
  Admission,
  Chain,
  Mempool,
  Origin,
  RemovedTransaction,
  SelectOptions,
} from 'svc-serve/ports';
import type { SignatureChecks } from '../workers/signature-checks.ts';
import { Admissions } from './admission.ts';
import type { CheckedInputs } from './checks.ts';
import {
  leavingWith,
  MEMPOOL_LIMITS,
  type MempoolLimits,
  PoolContents,
  roomFor,
} from './pool-contents.ts';
import { type PoolDisk, type PoolRecord, PoolStore } from './pool-store.ts';
import type { PooledTransaction, SubmittedTransaction } from './pooled-transaction.ts';
import { type Random, SYSTEM_RANDOM, selectTransactions } from './select.ts';

interface RestorationPorts {
  readonly contents: PoolContents;
  readonly admissions: Admissions;
  readonly workers: Pick<SignatureChecks, 'room'>;
  readonly log: Log;
}

interface Restored {
  readonly submitted: SubmittedTransaction;
  readonly checked: CheckedInputs;
  readonly pooled: PooledTransaction;
}

/** So many records are restored before other work of the process gets its turn. */
const RECORDS_PER_TURN = 256;
const SIGNATURES_CHECKED_AT_ONCE = 32;

/**
 * The pool after a restart. Every acknowledged transaction is checked against the state again and comes back
 * unless the state refuses it now. Signatures were checked before anything was written, but the disk may have
 * been damaged since: they are checked again later, while the node is running already. Until then a restored
 * transaction waits like any other and does not count as checked, so its execution would check it itself.
 */
async function restore(ports: RestorationPorts): Promise<readonly Restored[]> {
  const { contents, log } = ports;
  const { records, damaged } = await contents.store.load();
  const restored: Restored[] = [];
  const dropped: PoolRecord[] = [];
  for (const [place, record] of records.entries()) {
    if (place % RECORDS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    const one = restoreOne(ports, record);
    if (one === undefined) dropped.push(record);
    else restored.push(one);
  }
  contents.store.remove(dropped);
  contents.store.removeDamaged(damaged);
  if (records.length + damaged.length === 0) return restored;
  const counts = { restored: restored.length, dropped: dropped.length, damaged: damaged.length };
  log.info(counts, 'the mempool was restored');
  return restored;
}

function restoreOne(
  { contents, admissions }: RestorationPorts,
  { id, wire, origin, receivedAtMillis }: PoolRecord,
): Restored | undefined {
  const submitted = admissions.decode(wire, origin);
  if ('type' in submitted || submitted.id !== id || contents.index.get(id) !== undefined)
    return undefined;
  const checked = admissions.check(submitted);
  if (checked.type !== 'checked') return undefined;
  const evicted = roomFor(contents.index, contents.limits, submitted, checked.fee);
  if (evicted?.length !== 0) return undefined;
  return { submitted, checked, pooled: contents.restore(submitted, checked, receivedAtMillis) };
}

/** Checks signatures a few at a time, so that submissions are not delayed; ends early when told to. */
async function recheck(
  ports: RestorationPorts,
  restored: readonly Restored[],
  isStopped: () => boolean,
): Promise<void> {
  for (let at = 0; at < restored.length; at += SIGNATURES_CHECKED_AT_ONCE) {
    await ports.workers.room('submission');
    if (isStopped()) return;
    const some = restored.slice(at, at + SIGNATURES_CHECKED_AT_ONCE);
    await Promise.all(some.map((one) => recheckOne(ports, one, isStopped)));
  }
}

async function recheckOne(
  { contents, admissions, log }: RestorationPorts,
  { submitted, checked, pooled }: Restored,
  isStopped: () => boolean,
): Promise<void> {
  if (pooled.isGone) return;
  const refused = await admissions.checkSignatures(submitted, checked);
  if (refused === null || isStopped() || pooled.isGone) return;
  if (refused.code === 'overloaded' || refused.code === 'unavailable') return;
  log.error({ transaction: pooled.id, code: refused.code }, 'a stored transaction was damaged');
  contents.remove(new Map([[pooled, 'rejected']]));
}

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

  get added(): Mempool['added'] {
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
