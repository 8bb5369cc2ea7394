/**
 * What all nodes of one simulated ledger share before anything is decided: the genesis, its chain id,
 * the committee in the order of the plan, and the codec for this chain.
 */
import type { WireContext } from 'svc-finality';
import { TIMING } from 'svc-finality';
import type { Commitments, Genesis, GenesisResult, Identifier, LedgerParameters } from 'svc-ledger';
import {
  ATOMS_PER_COIN,
  bytesOf,
  chainIdOf,
  GENESIS_SUPPLY,
  genesisBondId,
  genesisState,
  LEDGER_PARAMETERS,
  validatorIdOf,
  WireTransactions,
} from 'svc-ledger';
import { MemoryTrees } from 'svc-ledger/testing';
import type { Manifest } from 'svc-wasm/protocol';
import { createManifest, hashLabel } from 'svc-wasm/protocol';
import type { Account } from './accounts.ts';
import { createAccounts } from './accounts.ts';

export interface LedgerSetting {
  readonly parameters: LedgerParameters;
  readonly document: Genesis;
  readonly genesis: GenesisResult;
  readonly chainId: Uint8Array;
  readonly manifest: Manifest;
  readonly wires: WireTransactions;
  readonly accounts: readonly Account[];
  /** By index in the committee, which stays the same for the whole simulation. */
  readonly validatorIds: readonly Identifier[];
  /** Their places in the genesis document. */
  readonly places: readonly number[];
  /** Their own bonds at genesis. */
  readonly bonds: readonly bigint[];
  readonly wireContext: WireContext;
}

/** More cuts than any simulation decides, so that the committee does not change. */
const INTERVAL = 1_200;
const NETWORK = 'development';
const BOND_UNIT = 100_000n * ATOMS_PER_COIN;
const OUTPUTS_PER_ACCOUNT = 3n;
const PUBLIC_KEY_BYTES = 1_952;

export function createSetting(stakes: readonly bigint[]): LedgerSetting {
  const parameters = { ...LEDGER_PARAMETERS[NETWORK], interval: INTERVAL };
  const bonds = stakes.map((stake) => stake * BOND_UNIT);
  const seats = seatsOf(stakes.length);
  const accounts = createAccounts();
  const document = genesisOf(bonds, seats, accounts);
  const genesis = createGenesis({ parameters, document }, new MemoryTrees(hashLabel));
  const chainId = bytesOf(chainIdOf(hashLabel, document));
  const manifest = createManifest(NETWORK, chainId, {});
  const setId = bytesOf(genesis.validatorSetId);
  return {
    parameters,
    document,
    genesis,
    chainId,
    manifest,
    wires: new WireTransactions(manifest),
    accounts,
    validatorIds: seats.map(({ id }) => id),
    places: seats.map(({ place }) => place),
    bonds,
    wireContext: { chainId, setIdAt: () => setId },
  };
}

/** The state at height 0, in trees that must be empty. */
export function createGenesis(
  { parameters, document }: Pick<LedgerSetting, 'parameters' | 'document'>,
  commitments: Commitments,
): GenesisResult {
  return genesisState({ parameters, hash: hashLabel, commitments }, document);
}

interface Seat {
  readonly id: Identifier;
  /** The place in the genesis document that gives this id. */
  readonly place: number;
}

/** A committee sits in the order of its ids, and an id follows from a place in the genesis. */
function seatsOf(count: number): Seat[] {
  return Array.from({ length: count }, (_, place) => {
    const origin = genesisBondId(hashLabel, place);
    return { id: validatorIdOf(hashLabel, origin), place };
  }).sort((a, b) => (a.id < b.id ? -1 : 1));
}

function genesisOf(
  bonds: readonly bigint[],
  seats: readonly Seat[],
  accounts: readonly Account[],
): Genesis {
  const free = GENESIS_SUPPLY - bonds.reduce((sum, bond) => sum + bond, 0n);
  const count = OUTPUTS_PER_ACCOUNT * BigInt(accounts.length);
  const outputs = Array.from({ length: Number(count) }, (_, index) => ({
    address: (accounts[index % accounts.length] as Account).address,
    amount: free / count + (index === 0 ? free % count : 0n),
  }));
  const validators = seats
    .map(({ place }, index) => ({ place, amount: bonds[index] as bigint }))
    .sort((a, b) => a.place - b.place)
    .map(({ place, amount }) => {
      const { address } = accounts[place % accounts.length] as Account;
      return {
        ownerAddress: address,
        rewardAddress: address,
        amount,
        commissionBps: 500,
        consensusPublicKey: new Uint8Array(PUBLIC_KEY_BYTES).fill(place + 1),
        endpoint: Uint8Array.of(1),
      };
    });
  return {
    network: NETWORK,
    timeMillis: 0,
    paceMillis: Number(TIMING.paceMs),
    workTarget: LEDGER_PARAMETERS[NETWORK].workTargetMax,
    outputs,
    validators,
  };
}
