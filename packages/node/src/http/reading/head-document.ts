/**
 * The document of the finalized head. At height 0 it names the genesis, which goes by the id of the chain.
 */
import type { ChainHead } from 'svc-api';
import { epochOf } from 'svc-ledger';
import { decodeCutHeader } from 'svc-wasm/protocol';
import { referenceOf } from '../../documents/cut-documents.ts';
import type { Chain } from '../../ports/chain.ts';
import type { Snapshot } from './shared-readers.ts';

export function headDocument(chain: Chain, snapshot: Snapshot): Promise<ChainHead> {
  return snapshot.once('head', async () => {
    const { reader, height } = snapshot;
    return {
      api_version: 1,
      network: chain.manifest.network,
      chain_id: chain.chainId,
      ...((await cutAndTime(snapshot)) ?? {
        cut: {
          height,
          cut_id: reader.head.cutId,
          state_root: reader.head.stateRoot,
          validator_set_id: (await reader.epoch()).validatorSetId,
        },
        time_millis: chain.genesis.timeMillis,
      }),
      epoch: epochOf(height, chain.parameters.interval),
    };
  });
}

async function cutAndTime({ reader, height }: Snapshot) {
  const row = await reader.cut(height);
  if (row === undefined) return undefined;
  const header = decodeCutHeader(row.header);
  return { cut: referenceOf(height, row.cutId, header), time_millis: Number(header.time) };
}
