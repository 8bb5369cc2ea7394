/**
 * `GET /v1/mining/chain`.
 */
import type { MiningChainDocument } from 'svc-api';
import { toHex } from 'svc-wasm/base';
import { POW_ITEM_BYTES, POW_PAGE_BYTES, POW_PERIOD_INTERVALS, POW_SIZES } from 'svc-wasm/kernel';
import type { MiningPorts } from '../ports.ts';

export function miningChain({ chain }: Pick<MiningPorts, 'chain'>): MiningChainDocument {
  const { network, interval } = chain.parameters;
  const { cacheBytes, datasetBytes } = POW_SIZES[network];
  return {
    api_version: 1,
    network,
    chain_id: toHex(chain.manifest.chainId),
    finalized_height: chain.head.height,
    interval_cuts: interval,
    pow: {
      cache_items: cacheBytes / POW_ITEM_BYTES,
      dataset_pages: datasetBytes / POW_PAGE_BYTES,
      period_cuts: POW_PERIOD_INTERVALS * interval,
    },
  };
}
