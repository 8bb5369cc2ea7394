/**
 * A small chain for tests: named accounts and validators, cuts made one after the other. Unless a test states
 * otherwise, all validators sign, none cheats, and cuts are on time.
 */
import assert from 'node:assert/strict';
import { applyCut } from '../../src/apply-cut.ts';
import { checkCut } from '../../src/check-cut.ts';
import type { Commitments, StagedTrees } from '../../src/commitment/trees.ts';
import type { LedgerPorts } from '../../src/context.ts';
import type {
  CutInput,
  CutResult,
  Equivocation,
  ExecutedBlock,
  RegisteredBlock,
} from '../../src/cut.ts';
import { chainIdOf } from '../../src/genesis/chain-id.ts';
import type { Genesis } from '../../src/genesis/document.ts';
import { type GenesisResult, genesisState } from '../../src/genesis/state.ts';
import { type Address, type Identifier, keyAddress, numberKey } from '../../src/identifiers.ts';
import {
  ATOMS_PER_COIN,
  GENESIS_SUPPLY,
  LEDGER_PARAMETERS,
  type LedgerParameters,
} from '../../src/parameters.ts';
import {
  type EconomyRecord,
  type EpochRecord,
  type PublicKey,
  SINGLE_KEY,
} from '../../src/records.ts';
import { blocksToExecute } from '../../src/rules/execute-blocks.ts';
import { oldestParentCut } from '../../src/rules/parents.ts';
import { MemoryState } from '../../src/testing/memory-state.ts';
import { MemoryTrees } from '../../src/testing/memory-trees.ts';
import type { ExecutableTransaction } from '../../src/transaction.ts';
import type { StateView } from '../../src/view.ts';
import { idOf, referenceHash, referenceListRoot } from './reference-hash.ts';
import { TestSignatures } from './test-signatures.ts';

export const COIN = ATOMS_PER_COIN;
const TIME = 1_700_000_000_000;
/** Tests stake single atoms, and pay as many positions as there are. */
const SMALL_STAKE = {
  positionMin: 1n,
  stakePayoutsPerCut: Number.MAX_SAFE_INTEGER,
  stakeVisitsPerCut: Number.MAX_SAFE_INTEGER,
};

export function addressOf(name: string): Address {
  return keyAddress(idOf(name));
}

export function publicKeyOf(name: string): PublicKey {
  return { keyHash: idOf(`key ${name}`), publicKey: new Uint8Array(1_952).fill(name.length) };
}

/** Trees whose staged form can be staged again. */
export type TestTrees = Commitments & StagedTrees;

export interface TestValidator {
  readonly name: string;
  readonly amount: bigint;
  readonly commissionBps?: number;
}

export interface TestBlock {
  readonly payout?: string;
  readonly anchor?: number;
  readonly transactions?: readonly ExecutableTransaction[];
  readonly bodyRoot?: Identifier;
  readonly parents?: readonly Identifier[];
}

export interface TestCut {
  readonly blocks?: readonly TestBlock[];
  readonly evidence?: readonly Equivocation[];
  readonly signers?: bigint;
}

/** A genesis whose first account, `bank`, holds what the validators do not bond. */
export function testGenesis(validators: readonly TestValidator[]): Genesis {
  const bonded = validators.reduce((sum, { amount }) => sum + amount, 0n);
  const parts = 40n;
  const bank = GENESIS_SUPPLY - bonded;
  return {
    network: 'development',
    timeMillis: TIME,
    paceMillis: 500,
    workTarget: LEDGER_PARAMETERS.development.workTargetMax,
    outputs: Array.from({ length: Number(parts) }, (_, index) => ({
      address: addressOf('bank'),
      amount: bank / parts + (index === 0 ? bank % parts : 0n),
    })),
    validators: validators.map(({ name, amount, commissionBps }) => ({
      ownerAddress: addressOf(name),
      rewardAddress: addressOf(`${name} rewards`),
      amount,
      commissionBps: commissionBps ?? 500,
      consensusPublicKey: new Uint8Array(1_952).map((_, i) => name.charCodeAt(i % name.length)),
      endpoint: Uint8Array.of(1),
    })),
  };
}

export class TestChain {
  readonly #chainId: Identifier;
  /** A run may continue with other parameters than the genesis was checked with. */
  parameters: LedgerParameters;
  readonly signatures = new TestSignatures();
  readonly state = new MemoryState();
  readonly results: CutResult[] = [];
  readonly inputs: CutInput[] = [];
  readonly genesis: GenesisResult;
  trees: TestTrees;
  #bodies = new Map<Identifier, ExecutedBlock>();
  #blockCount = 0;

  constructor(
    validators: readonly TestValidator[] = [{ name: 'alice', amount: 1_000_000n * COIN }],
    parameters: Partial<LedgerParameters> = {},
    empty: TestTrees = new MemoryTrees(referenceHash),
  ) {
    this.parameters = {
      ...LEDGER_PARAMETERS.development,
      interval: 12,
      minFeePerMass: 0n,
      ...SMALL_STAKE,
      ...parameters,
    };
    const genesis = testGenesis(validators);
    this.#chainId = chainIdOf(referenceHash, genesis);
    this.genesis = genesisState(this.#portsWith(empty), genesis);
    this.state.apply(this.genesis.changes);
    this.trees = this.genesis.trees as TestTrees;
  }

  #portsWith(commitments: TestTrees): LedgerPorts {
    const { parameters, signatures } = this;
    const chainId = this.#chainId;
    return {
      chainId,
      parameters,
      hash: referenceHash,
      listRoot: referenceListRoot,
      signatures,
      commitments,
    };
  }

  get ports(): LedgerPorts {
    return this.#portsWith(this.trees);
  }

  get economy(): EconomyRecord {
    return this.state.get('economy', SINGLE_KEY) as EconomyRecord;
  }

  get epoch(): EpochRecord {
    return this.state.get('epoch', SINGLE_KEY) as EpochRecord;
  }

  get height(): number {
    return this.economy.height;
  }

  /** The validator that an account owns. */
  validatorId(owner: string): Identifier {
    const found = this.state
      .records('validators')
      .find(([, validator]) => validator.ownerAddress === addressOf(owner));
    assert.ok(found, `${owner} owns no validator`);
    return found[0];
  }

  /** The bit of a validator in the signers' bitmap. */
  bitOf(owner: string): bigint {
    const id = this.validatorId(owner);
    const index = this.epoch.members.findIndex(({ validatorId }) => validatorId === id);
    return index < 0 ? 0n : 1n << BigInt(index);
  }

  get allSigners(): bigint {
    return (1n << BigInt(this.epoch.members.length)) - 1n;
  }

  block(height: number, block: TestBlock): RegisteredBlock {
    const id = idOf(`block ${this.#blockCount++}`);
    this.#bodies.set(id, { id, transactions: block.transactions ?? [] });
    const anchorHeight = block.anchor ?? height - 1;
    return {
      id,
      anchorHeight,
      anchorCutId: idOf(`cut ${anchorHeight}`),
      parents: block.parents ?? this.#parentsFor(anchorHeight),
      bodyRoot: block.bodyRoot ?? idOf(`body ${id}`),
      payoutAddress: addressOf(block.payout ?? 'miner'),
      bodyBytes: 1_000,
      mass: 1_000n,
    };
  }

  /** The blocks that the newest cut possible registered, else the anchor. */
  #parentsFor(anchorHeight: number): Identifier[] {
    for (let cut = anchorHeight; cut >= oldestParentCut(anchorHeight); cut--) {
      const record = this.state.get('registered', numberKey(cut));
      if (record !== undefined) return record.blocks.slice(0, 8).map(({ id }) => id);
    }
    return [idOf(`cut ${anchorHeight}`)];
  }

  input({ blocks = [], evidence = [], signers }: TestCut = {}): CutInput {
    const height = this.height + 1;
    const executed = blocksToExecute(this.state, height);
    return {
      height,
      parentCutId: idOf(`cut ${height - 1}`),
      timeMillis: TIME + 500 * height,
      previousSigners: signers ?? this.allSigners,
      registered: blocks
        .map((block) => this.block(height, block))
        .sort((a, b) => a.anchorHeight - b.anchorHeight || (a.id < b.id ? -1 : 1)),
      evidence,
      executed: executed.map(({ id }) => this.#bodies.get(id) as ExecutedBlock),
    };
  }

  cut(cut: TestCut = {}): CutResult {
    return this.apply(this.input(cut));
  }

  apply(input: CutInput, view: StateView = this.state): CutResult {
    assert.equal(checkCut(this.parameters, this.state, input), null);
    const result = applyCut(this.ports, view, input);
    this.state.apply(result.changes);
    this.trees = result.trees as TestTrees;
    this.results.push(result);
    this.inputs.push(input);
    return result;
  }

  /** Makes cuts until the given height. */
  runTo(height: number, cut: TestCut = {}): void {
    while (this.height < height) this.cut(cut);
  }

  /** Makes cuts until the last one of the given epoch. */
  runToEndOf(epoch: number, cut: TestCut = {}): void {
    this.runTo((epoch + 1) * this.parameters.interval, cut);
  }

  /** Registers the transactions in one block and executes them in the next cut. */
  execute(...transactions: readonly ExecutableTransaction[]): CutResult {
    this.cut({ blocks: [{ transactions }] });
    return this.cut();
  }
}
