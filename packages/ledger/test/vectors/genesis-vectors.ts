/**
 * A genesis, its bytes and the state it starts, and documents that no chain can start from.
 */
import { stateRoot, subtreeBytes } from '../../src/commitment/state-root.ts';
import { totalsRoot } from '../../src/commitment/totals.ts';
import { TREES, type TreeName } from '../../src/commitment/trees.ts';
import { encodeGenesis } from '../../src/genesis/chain-id.ts';
import { formatGenesis, type Genesis, parseGenesis } from '../../src/genesis/document.ts';
import { genesisState } from '../../src/genesis/state.ts';
import { GENESIS_SUPPLY, LEDGER_PARAMETERS } from '../../src/parameters.ts';
import { SvcError, toHex } from '../../src/protocol.ts';
import { type EconomyRecord, type EpochRecord, SINGLE_KEY } from '../../src/records.ts';
import { MemoryState } from '../../src/testing/memory-state.ts';
import { MemoryTrees } from '../../src/testing/memory-trees.ts';
import { referenceHash } from '../testing/reference-hash.ts';
import { addressOf, COIN } from '../testing/test-chain.ts';
import { plain } from './plain.ts';

const BONDS = [1_000_000n * COIN, 100_000n * COIN] as const;

const GENESIS: Genesis = {
  network: 'development',
  timeMillis: 1_700_000_000_000,
  paceMillis: 500,
  workTarget: LEDGER_PARAMETERS.development.workTargetMax,
  outputs: [
    { address: addressOf('one'), amount: 1n },
    { address: addressOf('two'), amount: GENESIS_SUPPLY - BONDS[0] - BONDS[1] - 1n },
  ],
  validators: BONDS.map((amount, index) => ({
    ownerAddress: addressOf(`owner ${index}`),
    rewardAddress: addressOf(`rewards ${index}`),
    amount,
    commissionBps: 10 * index,
    consensusPublicKey: new Uint8Array(1_952).fill(index + 1),
    endpoint: new Uint8Array(130 * index + 1).fill(7),
  })),
};

function codeOf(document: object): string {
  try {
    parseGenesis(JSON.stringify(document));
  } catch (error) {
    if (error instanceof SvcError) return error.code;
    throw error;
  }
  throw new Error('a genesis that must be refused is accepted');
}

function refused(): object[] {
  const good = JSON.parse(formatGenesis(GENESIS)) as { outputs: object[]; validators: object[] };
  const [first, second] = good.validators;
  const [one, ...others] = good.outputs;
  const cases: Record<string, object> = {
    'version 2': { genesis_version: '2' },
    'no validators': { validators: [] },
    'an output too few': { outputs: others },
    'an output of nothing': { outputs: [{ ...one, amount: '0' }, ...others] },
    'two validators with one key': { validators: [first, { ...first, amount: String(BONDS[1]) }] },
    'a bond below the minimum': { validators: [first, { ...second, amount: '9999999999999' }] },
    'a commission that is no step': { validators: [first, { ...second, commission_bps: '15' }] },
    'an empty endpoint': { validators: [first, { ...second, overlay_endpoint: '' }] },
    'a target above the largest': { work_target: 'f'.repeat(64) },
    'a pace of 49 milliseconds': { pace_millis: '49' },
  };
  return Object.entries(cases).map(([name, change]) => ({
    name,
    change,
    code: codeOf({ ...good, ...change }),
  }));
}

export function genesisVectors(): object {
  const ports = {
    parameters: LEDGER_PARAMETERS.development,
    hash: referenceHash,
    commitments: new MemoryTrees(referenceHash),
  };
  const result = genesisState(ports, GENESIS);
  const state = new MemoryState();
  state.apply(result.changes);
  const economy = state.get('economy', SINGLE_KEY) as EconomyRecord;
  const epoch = state.get('epoch', SINGLE_KEY) as EpochRecord;
  const totals = totalsRoot(referenceHash, state, economy, epoch);
  const names = Object.keys(TREES) as TreeName[];
  return {
    document: JSON.parse(formatGenesis(GENESIS)) as object,
    encoded_hex: toHex(encodeGenesis(GENESIS)),
    chain_id: result.chainId,
    validator_set_id: result.validatorSetId,
    trees: Object.fromEntries(
      names.map((name) => [name, toHex(subtreeBytes(result.trees.roots[name]))]),
    ),
    economy: plain(economy),
    totals_root: toHex(totals),
    state_root: stateRoot(referenceHash, result.trees.roots, totals),
    refused: refused(),
  };
}
