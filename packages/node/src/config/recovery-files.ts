/**
 * The recoveries that an operator has chosen to follow, as rules of the chain.
 */
import { readFileSync, statSync } from 'node:fs';
import { ConfigError } from 'svc-base/node';
import { LEDGER_PARAMETERS, type LedgerParameters } from 'svc-ledger';
import { SvcError } from 'svc-wasm/base';
import { type ChainRecovery, parseRecovery } from 'svc-wasm/protocol';
import type { NamedGenesis } from './genesis-file.ts';
import type { NodeConfig } from './node-config.ts';

const FILE_BYTES_MAX = 2 << 20;

/** The parameters of the network with the recoveries of this chain. */
export function chainParameters(
  { network, recoveryFiles }: Pick<NodeConfig, 'network' | 'recoveryFiles'>,
  { chainId }: Pick<NamedGenesis, 'chainId'>,
): LedgerParameters {
  const recoveries: ChainRecovery[] = [];
  for (const file of recoveryFiles) {
    const recovery = readRecoveryFile(file);
    const refused = (reason: string): ConfigError => new ConfigError(file, 'recovery', reason);
    if (recovery.chainId !== chainId)
      throw refused(`is of chain ${recovery.chainId}, and this node follows chain ${chainId}`);
    const { height } = recovery;
    if (recoveries.some((other) => other.height === height))
      throw refused(`is of cut ${height}, as another file is; a node follows one of them`);
    recoveries.push(recovery);
  }
  return { ...LEDGER_PARAMETERS[network], recoveries };
}

/** The kernel must be loaded before. */
export function readRecoveryFile(file: string): ChainRecovery {
  try {
    const { size } = statSync(file);
    if (size > FILE_BYTES_MAX)
      throw new ConfigError(file, 'recovery', `expected at most ${FILE_BYTES_MAX} bytes`);
    return parseRecovery(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = error instanceof SvcError ? message : `cannot be read (${code})`;
    throw new ConfigError(file, 'recovery', reason);
  }
}
