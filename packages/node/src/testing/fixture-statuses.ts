/**
 * Statuses of transactions for tests, read from the chain, the held blocks and the mempool.
 */
import type { CutReference, TransactionStatusEntry } from 'svc-api';
import { Signal } from 'svc-base/pure';
import { statusOfOutcome } from 'svc-ledger';
import type { ChainReader, StatusRecord } from 'svc-storage';
import { referenceAt } from '../documents/cut-documents.ts';
import type { BlockPool } from '../ports/blocks.ts';
import type { Mempool } from '../ports/mempool.ts';
import type { TransactionStatuses } from '../ports/statuses.ts';

export class FixtureStatuses implements TransactionStatuses {
  readonly changed = new Signal<string>();
  readonly #mempool: Mempool;
  readonly #blocks: BlockPool;

  constructor(mempool: Mempool, blocks: BlockPool) {
    this.#mempool = mempool;
    this.#blocks = blocks;
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
    if (record !== undefined && outcome !== null) {
      const executed = await referenceAt(reader, record.height);
      const registered = await referenceAt(reader, record.height - 1);
      return entry(id, outcome.lifecycle, outcome.failure, {
        blockId: record.outcome.blockId,
        registered,
        executed,
      });
    }
    const block = this.#blocks.carrying(id);
    if (block !== undefined) {
      const work = await reader.work(block.block.id);
      const registered =
        work === undefined ? null : await referenceAt(reader, work.registeredHeight);
      const lifecycle = registered === null ? 'receiving' : 'registered';
      return entry(id, lifecycle, null, { blockId: block.block.id, registered, executed: null });
    }
    const pooled = this.#mempool.get(id);
    return pooled === undefined
      ? null
      : entry(id, 'processing', null, { blockId: null, registered: null, executed: null });
  }
}

interface Places {
  readonly blockId: string | null;
  readonly registered: CutReference | null;
  readonly executed: CutReference | null;
}

function entry(
  id: string,
  lifecycle: TransactionStatusEntry['lifecycle'],
  failure: TransactionStatusEntry['failure'],
  { blockId, registered, executed }: Places,
): TransactionStatusEntry {
  return {
    transaction_id: id,
    lifecycle,
    observed_work: blockId === null ? null : { block_id: blockId },
    registered_cut: registered,
    finalized_cut: executed,
    failure,
  };
}
