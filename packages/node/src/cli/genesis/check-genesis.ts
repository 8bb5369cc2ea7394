/**
 * `svcd genesis check`: whether a chain can start from a document, and which.
 */
import { note, result, resultJson } from 'svc-base/cli';
import { init } from 'svc-wasm';
import { encodeAddress, fromHex } from 'svc-wasm/base';
import { type NamedGenesis, readGenesisFile } from '../../config/genesis-file.ts';

export interface CheckOptions {
  readonly json?: boolean;
}

export async function checkGenesisFile(file: string, options: CheckOptions): Promise<void> {
  await init();
  const named = readGenesisFile(file);
  if (options.json === true) return resultJson(summary(named));
  const { network, outputs, validators, paceMillis } = named.genesis;
  note(
    `network ${network}, ${outputs.length} outputs, ${validators.length} validators, a cut every ${paceMillis} ms`,
  );
  result(named.chainId);
}

function summary({ genesis, chainId }: NamedGenesis) {
  const { network, timeMillis, paceMillis, outputs, validators } = genesis;
  const text = (address: string) => encodeAddress(fromHex(address), network);
  return {
    chain_id: chainId,
    network,
    time_millis: timeMillis,
    pace_millis: paceMillis,
    outputs: outputs.map(({ address, amount }) => ({ address: text(address), amount })),
    validators: validators.map(({ ownerAddress, amount, commissionBps }) => ({
      owner_address: text(ownerAddress),
      amount,
      commission_bps: commissionBps,
    })),
  };
}
