/**
 * A finalized chain for tests, real but for the committee: a store in memory, the ledger's rules, cuts that
 * are final as soon as they are made. Blocks carry wires and no proof of work.
 */
import { Signal } from 'svc-base/pure';
import {
  applyCut,
  type CutInput,
  chainIdOf,
  type ExecutableTransaction,
  type Genesis,
  genesisState,
  LEDGER_PARAMETERS,
  type LedgerParameters,
  numberKey,
  oldestParentCut,
  type RegisteredBlock,
  WireTransactions,
} from 'svc-ledger';
import type { Chain, FinalizedCut } from 'svc-serve/ports';
import { type ChainReader, type LedgerStore, MemoryStore, openStoreOn } from 'svc-storage';
import { encodeResultHeader } from 'svc-storage/testing';
import { fromHex, toHex } from 'svc-wasm/base';
import {
  createManifest,
  cutId,
  decodeCutHeader,
  encodeCutBody,
  hashLabel,
  type Manifest,
  rootOfList,
} from 'svc-wasm/protocol';
import { idOf } from './names.ts';

export interface TestBlock {
  readonly id: string;
  readonly transactions: readonly ExecutableTransaction[];
}

export class TestChain implements Chain {
  readonly genesis: Genesis;
  readonly parameters: LedgerParameters;
  readonly manifest: Manifest;
  readonly chainId: string;
  readonly transactions: WireTransactions;
  readonly finalized = new Signal<FinalizedCut>();
  readonly #store: LedgerStore;
  #registered: readonly TestBlock[] = [];
  #blocks = 0;

  private constructor(genesis: Genesis, store: LedgerStore, manifest: Manifest) {
    this.genesis = genesis;
    this.parameters = LEDGER_PARAMETERS[genesis.network];
    this.manifest = manifest;
    this.chainId = toHex(manifest.chainId);
    this.transactions = new WireTransactions(manifest);
    this.#store = store;
  }

  static async start(genesis: Genesis): Promise<TestChain> {
    const chainId = chainIdOf(hashLabel, genesis);
    const parameters = LEDGER_PARAMETERS[genesis.network];
    const store = await openStoreOn(new MemoryStore(), { chainId, parameters, mode: 'archive' });
    const { commitments } = store;
    await store.initialize(genesisState({ parameters, hash: hashLabel, commitments }, genesis));
    return new TestChain(genesis, store, createManifest(genesis.network, fromHex(chainId), {}));
  }

  get head() {
    const { head } = this.#store;
    if (head === null) throw new Error('there is no genesis');
    return head;
  }

  get retention() {
    return this.#store.retention;
  }

  get idsLeft() {
    return this.#store.pastIds.left;
  }

  get headTimeMillis(): number {
    return this.genesis.timeMillis + this.head.height * this.genesis.paceMillis;
  }

  get view() {
    return this.#store.view;
  }

  recentCutId(height: number): string | undefined {
    return height === this.head.height ? this.head.cutId : undefined;
  }

  setAt(): undefined {
    return undefined;
  }

  reader(): ChainReader {
    return this.#store.reader();
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** A block that carries these transactions. */
  block(transactions: readonly ExecutableTransaction[]): TestBlock {
    return { id: idOf(`block ${this.#blocks++}`), transactions };
  }

  /** Registers blocks in the next cut and executes those that the head registered. */
  async cut(blocks: readonly TestBlock[] = []): Promise<FinalizedCut> {
    const { head, parameters } = this;
    const input = this.#inputOf(blocks);
    const ports = {
      chainId: this.#store.chainId,
      parameters,
      hash: hashLabel,
      listRoot: rootOfList,
      signatures: this.transactions,
      commitments: this.#store.commitments,
    };
    const result = applyCut(ports, this.view, input);
    const blockIds = blocks.map(({ id }) => fromHex(id));
    const headerBytes = encodeResultHeader(input, result, {
      chainId: this.chainId,
      parentCutId: head.cutId,
    });
    const body = encodeCutBody({ blockIds, evidence: [] });
    await this.#store.commit({
      input,
      result,
      header: headerBytes,
      body,
      certificate: null,
      blocks: [],
    });
    this.#registered = blocks;
    const cut: FinalizedCut = {
      height: input.height,
      cutId: toHex(cutId(headerBytes)),
      header: decodeCutHeader(headerBytes),
      headerBytes,
      certificate: null,
      input,
      result,
      finalizedAtMillis: input.timeMillis,
    };
    this.finalized.emit(cut);
    return cut;
  }

  /** Carries transactions in one block, and makes the cuts that register and execute it. */
  async execute(transactions: readonly ExecutableTransaction[]): Promise<FinalizedCut> {
    await this.cut([this.block(transactions)]);
    return this.cut();
  }

  #inputOf(blocks: readonly TestBlock[]): CutInput {
    const { head } = this;
    const height = head.height + 1;
    return {
      height,
      parentCutId: head.cutId,
      timeMillis: this.genesis.timeMillis + height * this.genesis.paceMillis,
      previousSigners: 1n,
      registered: blocks.map((block) => this.#registration(block)),
      evidence: [],
      executed: this.#registered,
    };
  }

  #registration({ id, transactions }: TestBlock): RegisteredBlock {
    const { head } = this;
    return {
      id,
      anchorHeight: head.height,
      anchorCutId: head.cutId,
      parents: this.#parents(),
      bodyRoot: idOf(`body of ${id}`),
      payoutAddress: this.genesis.outputs[0]?.address ?? '',
      bodyBytes: 1_000,
      mass: transactions.reduce((sum, { mass }) => sum + mass, 1_000n),
    };
  }

  /** The blocks of the newest cut that registered any, else the anchor. */
  #parents(): string[] {
    const { height, cutId: anchor } = this.head;
    for (let cut = height; cut >= oldestParentCut(height); cut--) {
      const blocks = this.view.get('registered', numberKey(cut))?.blocks ?? [];
      if (blocks.length > 0) return blocks.slice(0, 8).map(({ id }) => id);
    }
    return [anchor];
  }
}
