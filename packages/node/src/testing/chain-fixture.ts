/**
 * A real chain for tests: the genesis of a development network in a real store, and cuts on it that execute
 * real transactions and carry real certificates. Only proof of work is left out.
 */
import { Signal } from 'svc-base/pure';
import {
  applyCut,
  blocksToExecute,
  type CommitteeMember,
  type CutInput,
  chainIdOf,
  checkCut,
  compareBlocks,
  developmentGenesis,
  type EconomyRecord,
  type EpochRecord,
  earliestMillis,
  epochOf,
  type Genesis,
  genesisState,
  LEDGER_PARAMETERS,
  type LedgerParameters,
  SINGLE_KEY,
  type StateView,
  setStart,
  viewForNextCut,
  WireTransactions,
} from 'svc-ledger';
import type { Chain, FinalizedCut, PooledBlock } from 'svc-serve/ports';
import {
  type ChainReader,
  type Filled,
  type Head,
  type KeyValueStore,
  type LedgerStore,
  MemoryStore,
  openStoreOn,
  type Retention,
  type StorageMode,
  type StoreOptions,
} from 'svc-storage';
import { init } from 'svc-wasm';
import { fromHex, toHex } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import {
  type ChainRecovery,
  createManifest,
  decodeCutHeader,
  type Evidence,
  formatRecovery,
  hashLabel,
  type Manifest,
  parseRecovery,
  rootOfList,
  signSeat,
  type ValidatorSet,
} from 'svc-wasm/protocol';
import { setOfCommittee } from '../chain/validator-sets.ts';
import { type DevConsensusKey, type DevKeys, devKeys } from '../dev/dev-genesis.ts';
import { makeBlock } from './fixture-block.ts';
import { certify, contradict, writeCut } from './fixture-cut.ts';
import { type Coin, type Draft, signDraft } from './fixture-wallet.ts';

export interface FixtureOptions {
  readonly validators?: number;
  readonly keyValues?: KeyValueStore;
  readonly mode?: StorageMode;
  /** Keeps other numbers of cuts than the mode does. */
  readonly rule?: StoreOptions['rule'];
  readonly timeMillis?: number;
  readonly paceMillis?: number;
  /** The protocol of the cut at a height, for a network that changes its rules. */
  readonly protocolVersion?: (height: number) => number;
  /** Changes the genesis before the chain starts. */
  readonly genesis?: (genesis: Genesis) => Genesis;
}

export interface BlockOptions {
  readonly payout?: string;
  readonly tag?: string;
}

const PARAMETERS = LEDGER_PARAMETERS.development;
const VALIDITY_CUTS = 60;
export const FIXTURE_FEE = 100_000n;

export class ChainFixture implements Chain {
  static async create(options: FixtureOptions = {}): Promise<ChainFixture> {
    await init();
    const keys = devKeys(options.validators ?? 1);
    const made = developmentGenesis({
      accounts: keys.accounts.map(({ address }) => address),
      validators: keys.consensus.map(({ publicKey }, index) => ({
        consensusPublicKey: publicKey,
        endpoint: Uint8Array.of(1, index),
      })),
      timeMillis: options.timeMillis ?? 1_700_000_000_000,
      paceMillis: options.paceMillis ?? 2_500,
    });
    const genesis = options.genesis?.(made) ?? made;
    const chainId = chainIdOf(hashLabel, genesis);
    const recoveries: ChainRecovery[] = [];
    const parameters = { ...PARAMETERS, recoveries };
    const store = await openStoreOn(options.keyValues ?? new MemoryStore(), {
      chainId,
      parameters,
      mode: options.mode ?? 'archive',
      ...(options.rule === undefined ? {} : { rule: options.rule }),
    });
    const ports = { parameters, hash: hashLabel, commitments: store.commitments };
    await store.initialize(genesisState(ports, genesis));
    return new ChainFixture(keys, genesis, store, { parameters, recoveries }, options);
  }

  readonly keys: DevKeys;
  readonly genesis: Genesis;
  readonly parameters: LedgerParameters;
  readonly #recoveries: ChainRecovery[];
  readonly #recoveredKeys: DevConsensusKey[] = [];
  readonly manifest: Manifest;
  readonly store: LedgerStore;
  readonly transactions: WireTransactions;
  readonly finalized = new Signal<FinalizedCut>();
  /** Every cut, by height less one. */
  readonly cuts: FinalizedCut[] = [];
  readonly #blocks = new Map<string, PooledBlock>();
  readonly #sets = new Map<number, ValidatorSet>();
  readonly #protocolVersion: (height: number) => number;
  #serial = 0;

  private constructor(
    keys: DevKeys,
    genesis: Genesis,
    store: LedgerStore,
    rules: { readonly parameters: LedgerParameters; readonly recoveries: ChainRecovery[] },
    { protocolVersion = () => 1 }: FixtureOptions,
  ) {
    this.parameters = rules.parameters;
    this.#recoveries = rules.recoveries;
    this.#protocolVersion = protocolVersion;
    this.keys = keys;
    this.genesis = genesis;
    this.store = store;
    this.manifest = createManifest('development', fromHex(store.chainId));
    this.transactions = new WireTransactions(this.manifest);
    this.#learnSet();
  }

  get chainId(): string {
    return this.store.chainId;
  }

  get head(): Head {
    return this.store.head as Head;
  }

  get retention(): Retention {
    return this.store.retention;
  }

  get idsLeft(): number {
    return this.store.pastIds.left;
  }

  get filled(): Filled {
    return this.store.filled;
  }

  get view(): StateView {
    return this.store.view;
  }

  get headTimeMillis(): number {
    return this.economy.timeMillis;
  }

  get economy(): EconomyRecord {
    return this.view.get('economy', SINGLE_KEY) as EconomyRecord;
  }

  get epoch(): EpochRecord {
    const view = viewForNextCut({ hash: hashLabel, parameters: this.parameters }, this.view);
    return view.get('epoch', SINGLE_KEY) as EpochRecord;
  }

  recentCutId(height: number): string | undefined {
    return height === 0 ? this.chainId : this.cuts[height - 1]?.cutId;
  }

  setAt(height: number): ValidatorSet | undefined {
    const before = setStart(this.parameters, height) - 1;
    const recovery = this.#recoveries.find((one) => one.height === before);
    return recovery?.set ?? this.#sets.get(epochOf(height, PARAMETERS.interval));
  }

  reader(): ChainReader {
    return this.store.reader();
  }

  /** The address of an account as the ledger writes it. */
  address(account: number): string {
    return (this.keys.accounts[account] as DevKeys['accounts'][number]).address;
  }

  /** The address of an account as people write it. */
  text(account: number): string {
    return (this.keys.accounts[account] as DevKeys['accounts'][number]).text;
  }

  get #allKeys(): DevConsensusKey[] {
    return [...this.keys.consensus, ...this.#recoveredKeys];
  }

  /** Unspent outputs of an account, from the index that readers use. */
  async coins(account: number): Promise<Coin[]> {
    const reader = this.reader();
    try {
      const { rows } = await reader.utxos(this.address(account), { limit: 512 });
      return rows.map(({ outpoint, ...output }) => [outpoint, output]);
    } finally {
      await reader.close();
    }
  }

  sign(draft: Omit<Draft, 'validFrom' | 'validUntil'> & Partial<Draft>): Uint8Array {
    const validFrom = draft.validFrom ?? this.head.height;
    const validUntil = draft.validUntil ?? validFrom + VALIDITY_CUTS;
    return signDraft({ ...draft, validFrom, validUntil }, this.manifest);
  }

  /** A signed payment of one account to another address, with change. */
  async pay(
    from: number,
    to: string,
    amount: bigint,
    fee: bigint = FIXTURE_FEE,
  ): Promise<Uint8Array> {
    const coin = (await this.coins(from)).find(([, output]) => output.amount > amount + fee);
    if (coin === undefined) throw new Error(`account ${from} has no output above ${amount}`);
    const change = coin[1].amount - amount - fee;
    const outputs = [
      { address: to, amount },
      { address: this.address(from), amount: change },
    ];
    return this.sign({ from, coins: [coin], outputs });
  }

  /** A work block on the head that carries these transactions. */
  mine(wires: readonly Uint8Array[], options: BlockOptions = {}): PooledBlock {
    const block = makeBlock({
      view: this.view,
      head: this.head,
      manifest: this.manifest,
      payout: options.payout ?? this.address(9),
      tag: options.tag ?? 'fixture',
      serial: ++this.#serial,
      wires,
      transactions: wires.map((wire) => this.transactions.decode(wire)),
      receivedAtMillis: this.headTimeMillis,
    });
    this.#blocks.set(block.block.id, block);
    return block;
  }

  /** Finalizes the next cut, which registers these blocks and executes those of the cut before. */
  async cut(
    blocks: readonly PooledBlock[] = [],
    evidence: readonly Evidence[] = [],
  ): Promise<FinalizedCut> {
    for (const pooled of blocks) this.#blocks.set(pooled.block.id, pooled);
    const input = this.#input(blocks, evidence);
    const fault = checkCut(this.parameters, this.view, input);
    if (fault !== null) throw new Error(`cut ${input.height}: ${JSON.stringify(fault)}`);
    const { head, epoch } = this;
    await this.store.prepare(input);
    const ports = {
      chainId: this.store.chainId,
      parameters: this.parameters,
      hash: hashLabel,
      listRoot: rootOfList,
      signatures: this.transactions,
      commitments: this.store.commitments,
    };
    const result = applyCut(ports, this.view, input);
    const { height } = input;
    const protocolVersion = this.#protocolVersion(height);
    const place = { chainId: this.chainId, parentCutId: head.cutId, protocolVersion };
    const cut = writeCut(place, input, result, evidence);
    const certificate = certify({ chainId: this.chainId, height, cut, epoch }, this.#allKeys);
    await this.store.commit({
      input,
      result,
      header: cut.header,
      body: cut.body,
      certificate,
      blocks: blocks.map(({ bytes }) => bytes),
    });
    const finalized: FinalizedCut = {
      height,
      cutId: cut.cutId,
      header: decodeCutHeader(cut.header),
      headerBytes: cut.header,
      certificate,
      input,
      result,
      finalizedAtMillis: input.timeMillis,
    };
    for (const { id } of input.executed) this.#blocks.delete(id);
    this.#learnSet();
    this.cuts.push(finalized);
    this.finalized.emit(finalized);
    return finalized;
  }

  /** Finalizes empty cuts up to a height. */
  async runTo(height: number): Promise<void> {
    while (this.head.height < height) await this.cut();
  }

  async close(): Promise<void> {
    await this.store.close();
  }

  /** Replaces the committee after the head: the members at these indexes continue with new keys. Returns the document. */
  recover(places: readonly number[]): string {
    const { height, cutId } = this.head;
    const { network } = this.genesis;
    const { chainId, headTimeMillis: timeMillis } = this;
    const place = { network, chainId, height, cutId, timeMillis };
    const members = places.map((index) => {
      const { validatorId, publicKey: old, stake } = this.epoch.members[index] as CommitteeMember;
      const before = this.keys.consensus.find(({ publicKey }) => toHex(publicKey) === toHex(old));
      const seed = new Uint8Array(32).fill(200 - this.#recoveredKeys.length);
      const { publicKey, secretKey: next } = mlDsa65.keygen(seed);
      this.#recoveredKeys.push({ seed, publicKey });
      const { secretKey } = mlDsa65.keygen(before?.seed ?? seed);
      return signSeat(place, { validatorId, stake, publicKey }, { next, before: secretKey });
    });
    const text = formatRecovery(place, members);
    this.#recoveries.push(parseRecovery(text));
    return text;
  }

  /** Evidence that a validator signed two prevotes of a height. */
  contradiction(height: number, validatorIndex: number): Evidence {
    const set = this.setAt(height);
    if (set === undefined) throw new Error(`no set of height ${height}`);
    return contradict(this.chainId, height, { set, validatorIndex }, this.#allKeys);
  }

  #offenceOf({ height, validatorIndex }: Evidence['first']): CutInput['evidence'][number] {
    const validator = this.setAt(Number(height))?.validators[validatorIndex];
    if (validator === undefined) throw new Error(`no validator ${validatorIndex} at ${height}`);
    return { validatorId: toHex(validator.id), height: Number(height) };
  }

  #learnSet(): void {
    const record = this.view.get('epoch', SINGLE_KEY) as EpochRecord;
    if (!this.#sets.has(record.epoch)) this.#sets.set(record.epoch, setOfCommittee(record));
  }

  #input(blocks: readonly PooledBlock[], evidence: readonly Evidence[]): CutInput {
    const height = this.head.height + 1;
    const registered = blocks.map(({ block }) => block).sort(compareBlocks);
    const executed = blocksToExecute(this.view, height).map(({ id }) => {
      const { transactions } = this.#blocks.get(id) as PooledBlock;
      return { id, transactions };
    });
    const everyone = (1n << BigInt(this.epoch.members.length)) - 1n;
    return {
      height,
      parentCutId: this.head.cutId,
      timeMillis: earliestMillis(this.economy),
      previousSigners: height === 1 ? 0n : everyone,
      registered,
      evidence: evidence.map(({ first }) => this.#offenceOf(first)),
      executed,
    };
  }
}
