/**
 * What all nodes of one simulated ledger share before anything is decided: the genesis, its chain id,
 * the committee in the order of the plan, and the codec for this chain.
 */
import { TIMING } from 'svc-consensus/machine';
import {
  type Address,
  ATOMS_PER_COIN,
  bytesOf,
  type Commitments,
  chainIdOf,
  GENESIS_SUPPLY,
  type Genesis,
  type GenesisResult,
  genesisBondId,
  genesisState,
  type Identifier,
  keyAddress,
  LEDGER_PARAMETERS,
  type LedgerParameters,
  validatorIdOf,
  WireTransactions,
} from 'svc-ledger';
import { MemoryTrees, withInterval } from 'svc-ledger/testing';
import { encodeAddress, toHex } from 'svc-wasm/base';
import { createManifest, hashLabel, keyHash } from 'svc-wasm/protocol';
import { ELECTED_EPOCHS } from '../plan/ledger-plan.ts';
import type { Plan } from '../plan/plan.ts';
import type { ConsensusKey } from '../world/committees.ts';
import { PROTOCOL, type Protocol } from '../world/protocol.ts';

/** Holds and spends coins. Its key is mere bytes: nothing here is signed for real. */
export interface Account {
  readonly publicKey: Uint8Array;
  readonly address: Address;
  /** The address as requests spell it. */
  readonly text: string;
}

/** Which validator of the plan is registered under which id. An id follows from the transaction that registered it. */
class Roll {
  readonly #ids = new Map<number, Identifier>();
  readonly #validators = new Map<Identifier, number>();

  constructor(founders: readonly Identifier[]) {
    for (const [validator, id] of founders.entries()) this.enrol(validator, id);
  }

  enrol(validator: number, id: Identifier): void {
    this.#ids.set(validator, id);
    this.#validators.set(id, validator);
  }

  /** Undefined before its registration. */
  idOf(validator: number): Identifier | undefined {
    return this.#ids.get(validator);
  }

  validatorOf(id: Identifier): number | undefined {
    return this.#validators.get(id);
  }

  entries(): readonly (readonly [number, Identifier])[] {
    return [...this.#ids];
  }
}

export type LedgerSetting = Readonly<ReturnType<typeof createSetting>>;

/** More cuts than any simulation decides: where the plan has no changes the committee stays. */
const INTERVAL = 1_200;
const NETWORK = 'development';
export const BOND_UNIT = 100_000n * ATOMS_PER_COIN;
const OUTPUTS_PER_ACCOUNT = 3n;
const OPERATOR_OUTPUTS = 16n;
const PUBLIC_KEY_BYTES = 1_952;
const ACCOUNTS = 6;
/** What the last byte of a validator's later keys is above. */
const LATER_KEYS = 128;

export function createSetting(
  { stakes, changes }: Pick<Plan, 'stakes' | 'changes'>,
  { judgedAt }: Pick<Protocol, 'judgedAt'> = PROTOCOL,
) {
  const base = LEDGER_PARAMETERS[NETWORK];
  const parameters =
    changes === undefined
      ? { ...base, interval: INTERVAL }
      : withInterval(base, ELECTED_EPOCHS.cuts);
  const bonds = (stakes[0] ?? []).map((stake) => stake * BOND_UNIT);
  const founding = bonds.slice(0, changes?.founders);
  const seats = seatsOf(founding.length);
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => accountOf(index));
  const operator = accountOf(ACCOUNTS);
  const payers = changes === undefined ? [] : [operator];
  const document = genesisOf(founding, seats, accounts, payers);
  const genesis = createGenesis({ parameters, document }, new MemoryTrees(hashLabel));
  const chainId = bytesOf(chainIdOf(hashLabel, document));
  const manifest = createManifest(NETWORK, chainId, {});
  const validatorIds = seats.map(({ id }) => id);
  const places = seats.map(({ place }) => place);
  return {
    parameters,
    document,
    genesis,
    chainId,
    manifest,
    wires: new WireTransactions(manifest),
    accounts,
    /** The operators of validators pay out of it, and no other account does. */
    operator,
    roll: new Roll(validatorIds),
    /** Those of the genesis, in the order of its committee. */
    validatorIds,
    /** Their indexes in the genesis document. */
    places,
    /** The own bonds of all validators, of those that join too. */
    bonds,
    ...keysOf(places),
    /** The height whose committee says who sat on the seat that evidence names. */
    judgedAt,
  };
}

/** A validator of the genesis has the key of its place there, one that joins that of its number; a later key ends otherwise. */
function keysOf(places: readonly number[]) {
  const last = PUBLIC_KEY_BYTES - 1;
  return {
    consensusKeyOf: ({ validator, generation }: ConsensusKey): Uint8Array => {
      const key = consensusKeyAt(places[validator] ?? validator);
      if (generation > 0) key[last] = LATER_KEYS + generation;
      return key;
    },
    holderOf: (key: Uint8Array): ConsensusKey => {
      const place = (key[0] as number) - 1;
      const found = places.indexOf(place);
      const end = key[last] as number;
      return {
        validator: found < 0 ? place : found,
        generation: end > LATER_KEYS ? end - LATER_KEYS : 0,
      };
    },
  };
}

function consensusKeyAt(place: number): Uint8Array {
  return new Uint8Array(PUBLIC_KEY_BYTES).fill(place + 1);
}

/** The state at height 0, in trees that must be empty. */
export function createGenesis(
  { parameters, document }: { readonly parameters: LedgerParameters; readonly document: Genesis },
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
  operators: readonly Account[],
): Genesis {
  const free = GENESIS_SUPPLY - bonds.reduce((sum, bond) => sum + bond, 0n);
  const usual = OUTPUTS_PER_ACCOUNT * BigInt(accounts.length);
  const count = usual + OPERATOR_OUTPUTS * BigInt(operators.length);
  const outputs = Array.from({ length: Number(count) }, (_, index) => ({
    address: (
      (index < usual ? undefined : operators[0]) ?? (accounts[index % accounts.length] as Account)
    ).address,
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
        consensusPublicKey: consensusKeyAt(place),
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

function accountOf(index: number): Account {
  const publicKey = new Uint8Array(PUBLIC_KEY_BYTES).fill(200 + index);
  const hash = keyHash(publicKey);
  const text = encodeAddress(Uint8Array.of(0, ...hash), 'development');
  return { publicKey, address: keyAddress(toHex(hash)), text };
}
