/**
 * What became of transactions: first what the chain has decided for good, then what waits (in a registered
 * block, in a block, in the mempool), then what the chain last said without deciding, and last what left the
 * mempool. So a transaction that failed in one block and waits again is shown as waiting.
 *
 * `finalized_cut` names the cut from which on the status is final: the one that executed the transaction, or
 * the one that spent its output for another or let its window pass. Where the chain last said `invalid` or
 * `no_effect` it names the cut that said so, which decides nothing.
 *
 * Of an id that this node has never seen, or has forgotten, there is no status: the specification has five
 * lifecycles and none for it, so a single request is answered with 404 and a batch leaves it out.
 */
import type { CutReference, TransactionStatusEntry } from 'svc-api';
import { Signal } from 'svc-base/pure';
import { type OutcomeStatus, statusOfOutcome, type TransactionOutcome } from 'svc-ledger';
import { referenceAt } from 'svc-serve';
import type {
  BlockPool,
  Chain,
  FinalizedCut,
  Mempool,
  PooledBlock,
  PooledTransaction,
  RemovalReason,
  RemovedTransaction,
  TransactionStatuses,
} from 'svc-serve/ports';
import type { ChainReader, StatusRecord } from 'svc-storage';

/** No reader lives for longer. */
const CUTS_MAX = 16;

interface RecentOutcome {
  readonly blockId: string;
  /** The cut that executed it; the one before registered its block. */
  readonly height: number;
}

/** A cut's outcomes, by the id of the transaction once one was requested. */
class CutOutcomes {
  readonly #outcomes: readonly TransactionOutcome[];
  #blockIds: ReadonlyMap<string, string> | undefined;

  constructor(outcomes: readonly TransactionOutcome[]) {
    this.#outcomes = outcomes;
  }

  blockOf(id: string): string | undefined {
    this.#blockIds ??= new Map(
      this.#outcomes.map(({ transactionId, blockId }) => [transactionId, blockId]),
    );
    return this.#blockIds.get(id);
  }
}

class RecentOutcomes {
  readonly #cuts = new Map<number, CutOutcomes>();

  /** Nothing is indexed here: a node that catches up records thousands of cuts that no client requests. */
  record({ height, result }: FinalizedCut): void {
    this.#cuts.set(height, new CutOutcomes(result.events.outcomes));
    this.#cuts.delete(height - CUTS_MAX);
  }

  /** The first outcome above a height. */
  above(height: number, id: string): RecentOutcome | undefined {
    for (const [cut, outcomes] of this.#cuts) {
      const blockId = cut > height ? outcomes.blockOf(id) : undefined;
      if (blockId !== undefined) return { blockId, height: cut };
    }
    return undefined;
  }
}

type Lifecycle = TransactionStatusEntry['lifecycle'];
type Failure = NonNullable<TransactionStatusEntry['failure']>;

interface Places {
  readonly blockId?: string;
  readonly registered?: CutReference | null;
  readonly executed?: CutReference | null;
}

/**
 * One status of a transaction as the API shows it.
 */
function statusEntry(
  id: string,
  lifecycle: Lifecycle,
  failure: Failure | null,
  { blockId, registered = null, executed = null }: Places = {},
): TransactionStatusEntry {
  return {
    transaction_id: id,
    lifecycle,
    observed_work: blockId === undefined ? null : { block_id: blockId },
    registered_cut: registered,
    finalized_cut: executed,
    failure,
  };
}

const REMEMBERED_MAX = 65_536;

/** What is `finalized` or carried by a block is not for this memory to say. */
const FAILURES: Readonly<Partial<Record<RemovalReason, Failure>>> = {
  evicted: 'dropped',
  unknown: 'dropped',
  expired: 'expired',
  conflict: 'conflict',
  rejected: 'invalid',
};

interface Departure {
  readonly failure: Failure;
  /** The head when it left. That an output is spent, or a window has passed, is final from there on. */
  readonly height: number;
}

/**
 * Transactions that left the mempool without the chain saying anything about them. It is a memory of this
 * process and bounded; the oldest is forgotten first.
 */
class RemovedMemory {
  readonly #departures = new Map<string, Departure>();

  record(id: string, reason: RemovalReason, height: number): void {
    const failure = FAILURES[reason];
    this.#departures.delete(id);
    if (failure === undefined) return;
    this.#departures.set(id, { failure, height });
    const [oldest] = this.#departures.keys();
    if (this.#departures.size > REMEMBERED_MAX && oldest !== undefined) this.forget(oldest);
  }

  forget(id: string): void {
    this.#departures.delete(id);
  }

  get(id: string): Departure | undefined {
    return this.#departures.get(id);
  }
}

interface StatusPorts {
  readonly chain: Pick<Chain, 'finalized' | 'head'>;
  readonly mempool: Pick<Mempool, 'added' | 'get' | 'removed'>;
  readonly blocks: Pick<BlockPool, 'accepted' | 'carrying' | 'get'>;
}

export class StatusTracker implements TransactionStatuses {
  readonly changed = new Signal<string>();
  readonly #sources: StatusPorts;
  readonly #removed = new RemovedMemory();
  readonly #recent = new RecentOutcomes();
  readonly #endings: (() => void)[];

  /** The pools must follow the chain already, so that they know of a cut before this does. */
  constructor(sources: StatusPorts) {
    const { chain, mempool, blocks } = sources;
    this.#sources = sources;
    this.#endings = [
      mempool.added.on((pooled) => this.#onAdded(pooled)),
      mempool.removed.on((removed) => this.#onRemoved(removed)),
      blocks.accepted.on((block) => this.#tellOf(block)),
      chain.finalized.on((cut) => this.#onCut(cut)),
    ];
  }

  close(): void {
    for (const end of this.#endings) end();
  }

  async of(
    ids: readonly string[],
    reader: ChainReader,
  ): Promise<(TransactionStatusEntry | null)[]> {
    const records = await reader.statuses(ids);
    return Promise.all(ids.map((id, index) => this.#statusOf(id, records[index], reader)));
  }

  async #statusOf(
    id: string,
    record: StatusRecord | undefined,
    reader: ChainReader,
  ): Promise<TransactionStatusEntry | null> {
    const outcome = record === undefined ? null : statusOfOutcome(record.outcome.kind);
    if (record !== undefined && outcome?.final === true)
      return executedEntry(id, record, outcome, reader);
    const { blocks, mempool } = this.#sources;
    const block = blocks.carrying(id);
    if (block !== undefined) return waitingEntry(id, block, reader);
    if (mempool.get(id) !== undefined) return statusEntry(id, 'processing', null);
    const later = this.#recent.above(reader.head.height, id);
    if (later !== undefined) return carriedEntry(id, later.blockId, later.height - 1, reader);
    if (record !== undefined && outcome?.lifecycle === 'failed')
      return executedEntry(id, record, outcome, reader);
    const departure = this.#removed.get(id);
    return departure === undefined ? null : departedEntry(id, departure, reader);
  }

  #onAdded({ id }: PooledTransaction): void {
    this.#removed.forget(id);
    this.changed.emit(id);
  }

  #onRemoved({ pooled: { id }, reason }: RemovedTransaction): void {
    this.#removed.record(id, reason, this.#sources.chain.head.height);
    this.changed.emit(id);
  }

  #onCut(cut: FinalizedCut): void {
    const { input, result } = cut;
    this.#recent.record(cut);
    for (const { transactionId } of result.events.outcomes) this.changed.emit(transactionId);
    for (const { id } of input.registered) {
      const block = this.#sources.blocks.get(id);
      if (block !== undefined) this.#tellOf(block);
    }
  }

  #tellOf({ transactions }: PooledBlock): void {
    for (const { id } of transactions) this.changed.emit(id);
  }
}

async function executedEntry(
  id: string,
  { height, outcome }: StatusRecord,
  { lifecycle, failure }: OutcomeStatus,
  reader: ChainReader,
): Promise<TransactionStatusEntry> {
  const registered = await referenceAt(reader, height - 1);
  const executed = await referenceAt(reader, height);
  return statusEntry(id, lifecycle, failure, { blockId: outcome.blockId, registered, executed });
}

async function waitingEntry(
  id: string,
  { block }: PooledBlock,
  reader: ChainReader,
): Promise<TransactionStatusEntry> {
  const work = await reader.work(block.id);
  if (work === undefined) return statusEntry(id, 'receiving', null, { blockId: block.id });
  return carriedEntry(id, block.id, work.registeredHeight, reader);
}

/** In a block that the cut at this height registers, which the reader may not show yet. */
async function carriedEntry(
  id: string,
  blockId: string,
  height: number,
  reader: ChainReader,
): Promise<TransactionStatusEntry> {
  const registered = await referenceAt(reader, height);
  const lifecycle = registered === null ? 'receiving' : 'registered';
  return statusEntry(id, lifecycle, null, { blockId, registered });
}

/** Left without a word of the chain; at a reader's earlier height it was still waiting. */
async function departedEntry(
  id: string,
  { failure, height }: Departure,
  reader: ChainReader,
): Promise<TransactionStatusEntry> {
  if (failure !== 'conflict' && failure !== 'expired') return statusEntry(id, 'failed', failure);
  const executed = await referenceAt(reader, height);
  if (executed === null) return statusEntry(id, 'processing', null);
  return statusEntry(id, 'failed', failure, { executed });
}
