/**
 * What there is to tell of a store: how far it is and what it keeps, or one thing in it.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, EXIT } from 'svc-base/cli';
import type { ChainReader } from 'svc-storage';
import type { CommandOptions } from '../config-options.ts';
import { inspectBlock } from './inspect-block.ts';
import { inspectCut } from './inspect-cut.ts';
import { inspectTransaction } from './inspect-transaction.ts';
import { type ChainPlace, chainPlace, withReader } from './open-store.ts';

const INSPECTORS = { cut: inspectCut, block: inspectBlock, transaction: inspectTransaction };

/** One thing in a store. */
export interface Wanted {
  readonly kind: 'cut' | 'block' | 'transaction';
  readonly id: string;
}

export async function storeDocument(
  wanted: Wanted | null,
  options: CommandOptions,
): Promise<object> {
  const place = await chainPlace(options);
  return withReader(place, async (reader) =>
    wanted === null ? summaryOf(place, reader) : find(place, reader, wanted),
  );
}

async function find(place: ChainPlace, reader: ChainReader, { kind, id }: Wanted): Promise<object> {
  const found = await INSPECTORS[kind](reader, id, place);
  if (found !== undefined) return found;
  throw new CliError(EXIT.failed, `there is no ${kind} ${id} in this store`, {
    hint: 'it is unknown, not executed yet, or was pruned away',
  });
}

function summaryOf({ config, chainId }: ChainPlace, { head, retention }: ChainReader): object {
  return {
    network: config.network,
    chain_id: chainId,
    data_dir: config.dataDir,
    head: { height: head.height, cut_id: head.cutId, state_root: head.stateRoot },
    outputs: head.outputs,
    retention: {
      mode: retention.mode,
      first_height: retention.firstHeight,
      indexed_from: retention.indexedFrom,
      blocks_from: retention.blocksFrom,
    },
    bytes: diskSizes(config.dataDir),
  };
}

/** How much room the parts of a data directory take. */
function diskSizes(directory: string): Record<string, number> {
  const sizes: Record<string, number> = {};
  for (const name of readdirSync(directory).sort()) sizes[name] = bytesBelow(join(directory, name));
  return sizes;
}

function bytesBelow(path: string): number {
  const found = lstatSync(path);
  if (!found.isDirectory()) return found.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0);
}
