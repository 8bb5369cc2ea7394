/**
 * What every server of miners needs: work from nodes, and the proof of work that shares are checked with.
 */
import type { MiningChainDocument } from 'svc-api';
import { type Clock, type Log, messageOf } from 'svc-base/pure';
import {
  chainDatasetFolder,
  FullPow,
  PowPeriods,
  type ProofOfWork,
  startPow,
} from 'svc-mining/pow';
import { init } from 'svc-wasm';
import { fromHex, type Network } from 'svc-wasm/base';
import { TemplateReader } from '../node/template-reader.ts';
import { WorkSource } from '../node/work-source.ts';

export interface MiningWorkOptions {
  readonly nodes: readonly URL[];
  readonly pow: 'light' | 'full';
  /** Where datasets are kept. */
  readonly datasetFolder: string;
}

export interface MiningWork {
  readonly source: WorkSource;
  readonly chain: MiningChainDocument;
  readonly periods: PowPeriods;
  readonly pow: ProofOfWork;
  close(): Promise<void>;
}

/** Fails if no node answers now. */
export async function openMiningWork(
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  { nodes, pow: mode, datasetFolder }: MiningWorkOptions,
): Promise<MiningWork> {
  await init();
  const reader = new TemplateReader();
  const source = new WorkSource({ clock, log: log.part('node'), reader }, { nodes });
  const chain = await source.start();
  const periods = new PowPeriods({
    chainId: fromHex(chain.chain_id, 'chain_id', 48),
    parameters: { network: chain.network as Network, interval: chain.interval_cuts },
  });
  const folder = chainDatasetFolder(datasetFolder, chain.chain_id);
  const pow = startPow({ mode, periods, folder, clock, log });
  const preparing = pow.prepare(source.height).catch((error: unknown) => {
    log.error({ reason: messageOf(error) }, 'the proof of work could not be prepared');
  });
  // A full dataset takes minutes; until then shares are checked with the cache alone.
  if (!(pow instanceof FullPow)) await preparing;
  const close = async (): Promise<void> => {
    source.close();
    await reader.close();
    await pow.close();
  };
  return { source, chain, periods, pow, close };
}
