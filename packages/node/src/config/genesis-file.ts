/**
 * The genesis that a data directory belongs to: given by the operator once, kept beside the chain, and never
 * exchanged for another.
 */
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, replaceFileSync } from 'svc-base/node';
import {
  chainIdOf,
  formatGenesis,
  type Genesis,
  LEDGER_PARAMETERS,
  type LedgerParameters,
  parseGenesis,
} from 'svc-ledger';
import { SvcError } from 'svc-wasm/base';
import { type ChainRecovery, hashLabel, parseRecovery } from 'svc-wasm/protocol';
import type { NodeConfig } from './node-config.ts';

export interface NamedGenesis {
  readonly genesis: Genesis;
  readonly chainId: string;
}

const UNREADABLE: Readonly<Record<string, string>> = {
  EIO: 'the disk cannot read it (EIO); put the same file there again, from a backup or from another node of the chain',
};

type GenesisPlace = Pick<NodeConfig, 'dataDir' | 'genesisFile' | 'network'>;

/** Reads a genesis document. The kernel must be loaded before. */
export function readGenesisFile(file: string): NamedGenesis {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(file, 'genesis', UNREADABLE[code ?? ''] ?? `cannot be read (${code})`);
  }
  try {
    const genesis = parseGenesis(text);
    return { genesis, chainId: chainIdOf(hashLabel, genesis) };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw new ConfigError(file, '', error.message);
  }
}

/** The genesis of the data directory; refuses a given one that differs from it. */
export function loadGenesis(place: GenesisPlace): NamedGenesis {
  const kept = join(place.dataDir, 'genesis.json');
  const given = place.genesisFile === null ? null : readGenesisFile(place.genesisFile);
  const found = existsSync(kept) ? readGenesisFile(kept) : null;
  const genesis = found ?? given;
  if (genesis === null) {
    throw new ConfigError(
      kept,
      'genesis',
      'there is none yet; give one with --genesis FILE, make one with `svcd genesis make`, or try `svcd dev`',
    );
  }
  if (given !== null && given.chainId !== genesis.chainId) {
    throw new ConfigError(
      String(place.genesisFile),
      'genesis',
      `is of chain ${given.chainId}, and ${place.dataDir} holds chain ${genesis.chainId}; use another --data-dir`,
    );
  }
  expectNetwork(genesis.genesis, place);
  return genesis;
}

/** Keeps a genesis that was given for the first time. */
export function keepGenesis(dataDir: string, { genesis }: NamedGenesis): void {
  const kept = join(dataDir, 'genesis.json');
  if (existsSync(kept)) return;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  replaceFileSync(kept, formatGenesis(genesis));
}

function expectNetwork({ network }: Genesis, place: GenesisPlace): void {
  if (network === place.network) return;
  throw new ConfigError(
    place.genesisFile ?? join(place.dataDir, 'genesis.json'),
    'network',
    `is of network ${network}, and the node is configured for ${place.network}; add --network ${network}`,
  );
}

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
