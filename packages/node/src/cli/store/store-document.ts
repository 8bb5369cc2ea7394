/**
 * What there is to tell of a store: how far it is and what it keeps, or one thing in it.
 */
import type { LedgerStore } from 'svc-storage';
import { CliError } from '../cli-error.ts';
import type { CommandOptions } from '../config-options.ts';
import { EXIT } from '../exit-codes.ts';
import { diskSizes } from './disk-sizes.ts';
import type { Wanted } from './inspect.ts';
import { inspectBlock } from './inspect-block.ts';
import { inspectCut } from './inspect-cut.ts';
import { inspectTransaction } from './inspect-transaction.ts';
import { type ChainPlace, chainPlace, withStore } from './open-store.ts';

const INSPECTORS = { cut: inspectCut, block: inspectBlock, transaction: inspectTransaction };

export async function storeDocument(
  wanted: Wanted | null,
  options: CommandOptions,
): Promise<object> {
  const place = await chainPlace(options);
  return withStore(place, async (store) =>
    wanted === null ? summaryOf(place, store) : find(place, store, wanted),
  );
}

async function find(place: ChainPlace, store: LedgerStore, { kind, id }: Wanted): Promise<object> {
  const reader = store.reader();
  try {
    const found = await INSPECTORS[kind](reader, id, place);
    if (found !== undefined) return found;
  } finally {
    await reader.close();
  }
  throw new CliError(EXIT.failed, `there is no ${kind} ${id} in this store`, {
    hint: 'it is unknown, not executed yet, or was pruned away',
  });
}

function summaryOf({ config, chainId }: ChainPlace, { head, retention }: LedgerStore): object {
  return {
    network: config.network,
    chain_id: chainId,
    data_dir: config.dataDir,
    head:
      head === null
        ? null
        : { height: head.height, cut_id: head.cutId, state_root: head.stateRoot },
    outputs: head?.outputs ?? 0,
    retention: {
      mode: retention.mode,
      first_height: retention.firstHeight,
      indexed_from: retention.indexedFrom,
      blocks_from: retention.blocksFrom,
    },
    bytes: diskSizes(config.dataDir),
  };
}
