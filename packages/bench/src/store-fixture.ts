/**
 * A store with any number of outputs, most of them of an address of their own, and full cuts of payments
 * that spend them. Names are spread evenly over their ranges, as hashes are.
 */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CutInput,
  chainIdOf,
  type ExecutableTransaction,
  type Genesis,
  genesisState,
  keyAddress,
  LEDGER_PARAMETERS,
  type LedgerPorts,
  numberKey,
  outpointKey,
  PAYOUT_KINDS,
  payoutId,
  type RegisteredBlock,
} from 'svc-ledger';
import { type LedgerStore, openStore } from 'svc-storage';
import { rebuildOutputs, sealState, writeOutputsInBulk } from 'svc-storage/bulk';
import { fromHex } from 'svc-wasm/base';
import { hashLabel, rootOfList } from 'svc-wasm/protocol';

const SUPPLY = 2_000_000_000_000_000n;
const BONDED = 100_000_000_000_000n;
const FEE = 10_000n;
const CHUNK = 20_000;
const FIRST_PARENT = idOf('the anchor of the first blocks');

export const BLOCKS_PER_CUT = 256;
export const PAYMENTS_PER_BLOCK = 17;
export const PAYMENTS_PER_CUT: number = BLOCKS_PER_CUT * PAYMENTS_PER_BLOCK;

const parameters = { ...LEDGER_PARAMETERS.mainnet, minFeePerMass: 0n };

const genesis: Genesis = {
  network: 'mainnet',
  timeMillis: 1_700_000_000_000,
  paceMillis: 2_500,
  workTarget: parameters.workTargetMax,
  outputs: [{ address: addressOf('bank'), amount: SUPPLY - BONDED }],
  validators: [
    {
      ownerAddress: addressOf('owner'),
      rewardAddress: addressOf('rewards'),
      amount: BONDED,
      commissionBps: 500,
      consensusPublicKey: new Uint8Array(1_952).fill(7),
      endpoint: Uint8Array.of(1),
    },
  ],
};

function idOf(text: string): string {
  return createHash('sha384').update(text).digest('hex');
}

function addressOf(name: string): string {
  return keyAddress(idOf(name));
}

/** The i-th of `count` names in ascending order, evenly spread. */
function spreadId(index: number, count: number, salt: string): string {
  const high = Math.floor((index / count) * 2 ** 48);
  return high.toString(16).padStart(12, '0') + salt + index.toString(16).padStart(68, '0');
}

const TRANSACTION_SALT = '7a3c91e5b20f48d6';
const ADDRESS_SALT = 'c4d81f6e09b73a52';

function storedOutpoint(index: number, count: number): string {
  return outpointKey({
    transactionId: spreadId(index, count, TRANSACTION_SALT),
    outputIndex: 0,
  });
}

/** The first thousand outputs belong to one busy address. */
const BUSY_OUTPUTS = 1_000;

export function storedAddress(index: number, count: number): string {
  const owner = index < BUSY_OUTPUTS ? 0 : index;
  return keyAddress(spreadId(owner, count, ADDRESS_SALT));
}

export class StoreFixture {
  readonly directory: string;
  readonly outputs: number;
  readonly amount: bigint;
  #nextPayment = 0;
  #registered: CutInput['executed'] = [];
  #random = 12_345;

  constructor(directory: string, outputs: number) {
    this.directory = directory;
    this.outputs = outputs;
    this.amount = (SUPPLY - BONDED) / BigInt(outputs);
  }

  /** The directory of the engine. */
  get database(): string {
    return join(this.directory, 'db');
  }

  /** Or a copy of it in another directory. */
  open(directory: string = this.directory): Promise<LedgerStore> {
    const chainId = chainIdOf(hashLabel, genesis);
    return openStore({ directory, chainId, parameters, mode: 'archive' });
  }

  /** Writes genesis and outputs; takes minutes for millions. */
  async build(): Promise<void> {
    mkdirSync(this.directory, { recursive: true });
    const store = await this.open();
    await store.initialize(genesisState(this.ports(store), genesis));
    await this.#replaceBank(store);
    for (let first = 0; first < this.outputs; first += CHUNK) {
      const length = Math.min(CHUNK, this.outputs - first);
      const chunk = Array.from({ length }, (_, index) => this.#output(first + index));
      await writeOutputsInBulk(store.keyValues, chunk, { history: true });
    }
    await rebuildOutputs(store.keyValues);
    await sealState(store.keyValues, { height: 0, cutId: store.chainId });
    await store.close();
  }

  async #replaceBank(store: LedgerStore): Promise<void> {
    const transactionId = payoutId(
      { chainId: store.chainId, hash: hashLabel },
      0,
      PAYOUT_KINDS.genesis,
      0,
    );
    const all = (prefix: number) => ({
      from: Uint8Array.of(prefix),
      to: Uint8Array.of(prefix + 1),
    });
    const unspent = await store.keyValues.range({ ...all(0x40), limit: 2 });
    const buckets = await store.keyValues.range({
      from: Uint8Array.of(0x20, 1),
      to: Uint8Array.of(0x20, 2),
      limit: 2,
    });
    const output = fromHex(outpointKey({ transactionId, outputIndex: 0 }));
    const keys = [
      Buffer.concat([Buffer.of(0x10), output]),
      ...unspent.map(([key]) => key),
      ...buckets.map(([key]) => key),
    ];
    await store.keyValues.write(
      keys.map((key) => ({ type: 'del', key })),
      { sync: true },
    );
  }

  #output(index: number) {
    const rest = SUPPLY - BONDED - this.amount * BigInt(this.outputs);
    return {
      outpoint: storedOutpoint(index, this.outputs),
      record: {
        address: storedAddress(index, this.outputs),
        amount: index === 0 ? this.amount + rest : this.amount,
        source: 'regular' as const,
        height: 0,
      },
    };
  }

  ports(store: LedgerStore): LedgerPorts {
    const { chainId, commitments } = store;
    const signatures = { verify: () => true };
    return { chainId, parameters, hash: hashLabel, listRoot: rootOfList, signatures, commitments };
  }

  randomIndex(): number {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#random / 2 ** 32) * this.outputs);
  }

  /** Payments spend each stored output once, in an order that jumps about. */
  #payment(): ExecutableTransaction {
    const number = this.#nextPayment++;
    const stride = 7_368_787;
    const spent = 1 + ((number * stride) % (this.outputs - 1));
    const id = idOf(`payment ${number}`);
    const half = (this.amount - FEE) / 2n;
    const transactionId = storedOutpoint(spent, this.outputs).slice(0, 96);
    return {
      id,
      validFromHeight: 0n,
      validUntilHeight: 1_000_000n,
      inputs: [{ transactionId, outputIndex: 0, inlineKeys: [] }],
      outputs: [
        { address: storedAddress(this.randomIndex(), this.outputs), amount: half },
        { address: keyAddress(idOf(`change ${number}`)), amount: this.amount - FEE - half },
      ],
      declaredFee: null,
      operation: null,
      mass: 1n,
    };
  }

  /** A full cut: registers as many blocks as are allowed and executes those of the cut before. */
  nextCut(height: number): CutInput {
    const executed = this.#registered;
    const blocks = Array.from({ length: BLOCKS_PER_CUT }, (_, index) => this.#block(height, index));
    blocks.sort((a, b) => (a.id < b.id ? -1 : 1));
    this.#registered = blocks.map(({ id }) => ({
      id,
      transactions: Array.from({ length: PAYMENTS_PER_BLOCK }, () => this.#payment()),
    }));
    return {
      height,
      parentCutId: idOf(`cut ${height - 1}`),
      timeMillis: genesis.timeMillis + 2_500 * height,
      previousSigners: 1n,
      registered: blocks,
      evidence: [],
      executed,
    };
  }

  #block(height: number, index: number): RegisteredBlock {
    const id = idOf(`block ${numberKey(height)} ${index}`);
    return {
      id,
      anchorHeight: height - 1,
      anchorCutId: FIRST_PARENT,
      parents: [this.#registered[index]?.id ?? FIRST_PARENT],
      bodyRoot: idOf(`body ${id}`),
      payoutAddress: addressOf(`miner ${index % 50}`),
      bodyBytes: 64_000,
      mass: 64_000n,
    };
  }
}
