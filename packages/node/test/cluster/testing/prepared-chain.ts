/**
 * A folder with a chain of many outputs that servers can begin with, made once and used as often as wanted: making millions of
 * outputs takes longer than everything that is measured with them. It has the genesis, the overlay keys of the one validator,
 * and the chain at height 0, none of which is changed by who uses it.
 */
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Genesis, parseGenesis } from 'svc-ledger';
import { makeLargeState } from './large-state.ts';
import { PrivateNetwork } from './private-network.ts';

const OVERLAY = join('data', 'network', 'validator-overlay');
const VALIDATOR = 'validator';
/** Exists when everything else is whole. */
const MADE = 'made';
/** Cuts that the chain is behind its clock when it is made; its nodes make them at once. */
const CUTS_BEHIND = 60;

export function isPrepared(folder: string): boolean {
  return existsSync(join(folder, MADE));
}

/** Takes twelve minutes of a processor for ten million outputs. */
export async function prepareChain(
  folder: string,
  outputs: number,
  paceMillis: number,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const network = await PrivateNetwork.make({
    paceMillis,
    startsInMillis: -CUTS_BEHIND * paceMillis,
    nodes: [{ name: VALIDATOR, validator: 'routed' }],
  });
  try {
    copyFileSync(join(network.directory, 'genesis.json'), join(folder, 'genesis.json'));
    const overlay = join(network.directory, VALIDATOR, OVERLAY);
    cpSync(overlay, join(folder, 'validator-overlay'), { recursive: true });
    await makeLargeState(join(folder, 'chain'), network.genesis, outputs);
    writeFileSync(join(folder, MADE), `${outputs}\n`);
  } finally {
    network.remove();
  }
}

export function preparedGenesis(folder: string): Genesis {
  return parseGenesis(readFileSync(join(folder, 'genesis.json'), 'utf8'));
}

/** Gives a node the chain, and the validator its overlay keys; the directory must be on the same disk. */
export function takeChain(folder: string, directory: string, isValidator: boolean): void {
  linkTables(join(folder, 'chain'), join(directory, 'data', 'chain'));
  if (isValidator)
    cpSync(join(folder, 'validator-overlay'), join(directory, OVERLAY), { recursive: true });
}

/** The database never writes to a table that is whole: it makes others and unlinks it. */
function linkTables(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTables(source, target);
    else if (entry.name.endsWith('.ldb')) linkSync(source, target);
    else copyFileSync(source, target);
  }
}
