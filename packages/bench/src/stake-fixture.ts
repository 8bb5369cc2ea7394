/**
 * A store with two validators: one with any number of delegations, one with ten. The delegations lie in it from the genesis on, as
 * if they had been bonded before. Epochs are short, and cuts pay as many positions as on mainnet.
 */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import {
  ATOMS_PER_COIN,
  type Change,
  type CutInput,
  type CutResult,
  chainIdOf,
  type EconomyRecord,
  type EpochRecord,
  GENESIS_SUPPLY,
  type Genesis,
  genesisState,
  keyAddress,
  LEDGER_PARAMETERS,
  type LedgerParameters,
  type LedgerPorts,
  type PositionRecord,
  SINGLE_KEY,
  type ValidatorRecord,
  validatorSetIdOf,
} from 'svc-ledger';
import { withInterval } from 'svc-ledger/testing';
import { type LedgerStore, openStore } from 'svc-storage';
import { rebuildRecordTrees, sealState, writeRecordsInBulk } from 'svc-storage/bulk';
import { hashLabel, rootOfList } from 'svc-wasm/protocol';
import { commitOf } from './store-commit.ts';

export const EPOCH_CUTS = 480;
export const FEW = 10;

const GENESIS_PARAMETERS = withInterval(LEDGER_PARAMETERS.mainnet, EPOCH_CUTS);
/** An epoch of this length does not suffice to pay all; the benchmark ends before that matters. */
const parameters: LedgerParameters = {
  ...LEDGER_PARAMETERS.mainnet,
  interval: EPOCH_CUTS,
  minFeePerMass: 0n,
};
const SELF_BOND = 1_000_000n * ATOMS_PER_COIN;
const CHUNK = 20_000;

type RecordChange = Exclude<Change, { readonly table: 'outputs' }>;

function idOf(text: string): string {
  return createHash('sha384').update(text).digest('hex');
}

const genesis: Genesis = {
  network: 'mainnet',
  timeMillis: 1_700_000_000_000,
  paceMillis: 2_500,
  workTarget: parameters.workTargetMax,
  outputs: [{ address: keyAddress(idOf('bank')), amount: GENESIS_SUPPLY - 2n * SELF_BOND }],
  validators: ['many', 'few'].map((name, index) => ({
    ownerAddress: keyAddress(idOf(name)),
    rewardAddress: keyAddress(idOf(`${name} rewards`)),
    amount: SELF_BOND,
    commissionBps: 500,
    consensusPublicKey: new Uint8Array(1_952).fill(index + 1),
    endpoint: Uint8Array.of(1),
  })),
};

export class StakeFixture {
  readonly directory: string;
  readonly delegations: number;
  /** By validator: its id, of the one with many delegations and of the one with few. */
  many = '';
  few = '';

  constructor(directory: string, delegations: number) {
    this.directory = directory;
    this.delegations = delegations;
  }

  open(): Promise<LedgerStore> {
    const chainId = chainIdOf(hashLabel, genesis);
    return openStore({ directory: this.directory, chainId, parameters, mode: 'archive' });
  }

  async build(): Promise<void> {
    mkdirSync(this.directory, { recursive: true });
    const store = await this.open();
    const ports = { ...this.ports(store), parameters: GENESIS_PARAMETERS };
    await store.initialize(genesisState(ports, genesis));
    for (const [index, count] of [this.delegations, FEW].entries()) {
      const validatorId = this.#validatorId(store, index);
      if (index === 0) this.many = validatorId;
      else this.few = validatorId;
      for (let first = 0; first < count; first += CHUNK) {
        const length = Math.min(CHUNK, count - first);
        const chunk = Array.from({ length }, (_, at) => delegation(validatorId, first + at));
        await writeRecordsInBulk(store.keyValues, chunk);
      }
    }
    await writeRecordsInBulk(store.keyValues, this.#rest(store));
    await dropRecordTrees(store);
    await rebuildRecordTrees(store.keyValues);
    await sealState(store.keyValues, { height: 0, cutId: store.chainId });
    await store.close();
  }

  #validatorId(store: LedgerStore, index: number): string {
    const owner = genesis.validators[index]?.ownerAddress;
    const found = store.view
      .validatorIds()
      .find((id) => store.view.get('validators', id)?.ownerAddress === owner);
    if (found === undefined) throw new Error('a validator of the genesis is missing');
    return found;
  }

  /** Validators, committee and totals as they are with the delegations. */
  #rest({ view }: LedgerStore): RecordChange[] {
    const economy = view.get('economy', SINGLE_KEY) as EconomyRecord;
    const epoch = view.get('epoch', SINGLE_KEY) as EpochRecord;
    const amount = parameters.positionMin;
    const counts = new Map([
      [this.many, BigInt(this.delegations)],
      [this.few, BigInt(FEW)],
    ]);
    const validators = [...counts].map(([key, count]): RecordChange => {
      const before = view.get('validators', key) as ValidatorRecord;
      const after = {
        ...before,
        stake: before.stake + count * amount,
        positionCount: before.positionCount + Number(count),
        slashableBonded: count * (amount / 10n),
      };
      return { table: 'validators', key, before, after };
    });
    const added = amount * BigInt(this.delegations + FEW);
    const members = epoch.members.map((member) => ({
      ...member,
      stake: member.stake + amount * (counts.get(member.validatorId) ?? 0n),
    }));
    const validatorSetId = validatorSetIdOf(hashLabel, members);
    return [
      ...validators,
      {
        table: 'epoch',
        key: SINGLE_KEY,
        before: epoch,
        after: { ...epoch, members, validatorSetId },
      },
      {
        table: 'economy',
        key: SINGLE_KEY,
        before: economy,
        after: {
          ...economy,
          minted: economy.minted + added,
          bonded: economy.bonded + added,
        },
      },
    ];
  }

  ports(store: LedgerStore): LedgerPorts {
    const { chainId, commitments } = store;
    const signatures = { verify: () => true };
    return { chainId, parameters, hash: hashLabel, listRoot: rootOfList, signatures, commitments };
  }

  /** An empty cut, or one that removes a validator. */
  cut(height: number, removed?: string): CutInput {
    return {
      height,
      parentCutId: idOf(`cut ${height - 1}`),
      timeMillis: genesis.timeMillis + 2_500 * height,
      previousSigners: 3n,
      registered: [],
      evidence: removed === undefined ? [] : [{ validatorId: removed, height: height - 1 }],
      executed: [],
    };
  }

  async commit(store: LedgerStore, input: CutInput, result: CutResult): Promise<void> {
    const { chainId, head } = store;
    await store.commit(commitOf(input, result, { chainId, parentCutId: head?.cutId ?? '' }));
  }
}

function delegation(validatorId: string, index: number): RecordChange {
  const after: PositionRecord = {
    kind: 'delegation',
    validatorId,
    ownerAddress: keyAddress(idOf(`owner ${index % 1_000}`)),
    rewardAddress: keyAddress(idOf(`rewards ${index}`)),
    bonded: parameters.positionMin,
    unbonding: [],
    stood: [],
  };
  const key = idOf(`position ${validatorId} ${index}`);
  return { table: 'positions', key, before: undefined, after };
}

/** The buckets that the genesis wrote for positions, validators and keys. */
async function dropRecordTrees({ keyValues }: LedgerStore): Promise<void> {
  const range = { from: Uint8Array.of(0x20, 2), to: Uint8Array.of(0x21) };
  const buckets = await keyValues.range({ ...range, limit: 100 });
  await keyValues.write(
    buckets.map(([key]) => ({ type: 'del', key })),
    { sync: true },
  );
}
