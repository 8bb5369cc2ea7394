/**
 * A node's memory and nothing else: a chain that cuts are installed on, and pools that take what is
 * well-formed. It checks for real what a node would, short of the ledger.
 */

import assert from 'node:assert/strict';
import { Signal } from 'svc-base/pure';
import { equalBytes, fromHex, isRefusal, toHex } from 'svc-wasm/base';
import {
  checkCut,
  cutId,
  decodeCutBody,
  decodeCutHeader,
  decodeTransaction,
  decodeWorkBlock,
} from 'svc-wasm/protocol';
import type {
  BlockBytes,
  CertifiedHeight,
  ChainIdentity,
  ChainTip,
  CutToInstall,
  Holdings,
  Installation,
  NetworkApplication,
  Reception,
  TransactionReception,
} from '../../src/application.ts';
import { IdList } from './id-list.ts';
import { type ChainScript, GENESIS_TIME, type ScriptedCut, stateAfter } from './script.ts';

type KeptCut = Omit<ScriptedCut, 'blocks' | 'certificate'> & {
  readonly certificate: Uint8Array | null;
};

export class MemoryApplication implements NetworkApplication {
  readonly script: ChainScript;
  readonly manifest: NetworkApplication['manifest'];
  identity: ChainIdentity;
  holdings: Holdings = { mode: 'archive', headersFrom: 1, blocksFrom: 1 };
  readonly pool = new Map<string, Uint8Array>();
  readonly blocks = new Map<string, BlockBytes>();
  readonly cuts: KeptCut[] = [];
  /** Blocks whose work does not hold here. */
  readonly withoutWork = new Set<string>();
  /** Ids of transactions and blocks, and what is answered for them; absent for what is taken. */
  readonly verdicts = new Map<string, () => Reception | undefined>();
  readonly submissions = { transactions: 0, blocks: 0 };
  installDelayMillis = 0;
  hashBody: NetworkApplication['hashBody'];
  readonly #transactions = new Signal<string>();
  readonly #newBlocks = new Signal<string>();
  readonly #newCuts = new Signal<ChainTip>();
  readonly #vouched = new Set<string>();
  /** Blocks that came by themselves and not with a cut. */
  readonly #pendingBlocks = new Set<string>();
  #installing: Promise<unknown> = Promise.resolve();
  #stateRoot = new Uint8Array(48);

  constructor(script: ChainScript) {
    this.script = script;
    this.manifest = script.manifest;
    this.identity = {
      chainId: toHex(script.manifest.chainId),
      protocolVersion: 1,
      rulesId: toHex(script.manifest.rulesId),
    };
  }

  /** Adopts the first cuts of the script unchecked. */
  adopt(count = this.script.cuts.length): this {
    for (const cut of this.script.cuts.slice(this.cuts.length, count)) {
      for (const block of cut.blocks) this.blocks.set(block.id, block);
      this.#commit(cut);
    }
    return this;
  }

  get tip(): ChainTip {
    const last = this.cuts.at(-1);
    return last === undefined
      ? { height: 0, cutId: this.identity.chainId }
      : { height: last.height, cutId: last.id };
  }

  get tipTimeMillis(): number {
    return GENESIS_TIME + 2_500 * this.tip.height;
  }

  pendingTransactions(): Iterable<string> {
    return this.pool.keys();
  }

  pendingBlocks(): Iterable<string> {
    return this.#pendingBlocks;
  }

  hasTransaction(id: string): boolean {
    return this.pool.has(id);
  }

  transaction(id: string): Uint8Array | undefined {
    return this.pool.get(id);
  }

  async submitTransaction(wire: Uint8Array): Promise<TransactionReception> {
    this.submissions.transactions++;
    try {
      const id = toHex(decodeTransaction(wire, this.manifest).id);
      if (this.pool.has(id)) return { reception: 'known', id };
      const verdict = this.verdicts.get(id)?.();
      if (verdict !== undefined) return { reception: verdict };
      this.pool.set(id, wire);
      this.#transactions.emit(id);
      return { reception: 'accepted', id };
    } catch (error) {
      if (isRefusal(error)) return { reception: 'reject' };
      throw error;
    }
  }

  hasBlock(id: string): boolean {
    return this.blocks.has(id);
  }

  async block(id: string): Promise<BlockBytes | undefined> {
    return this.blocks.get(id);
  }

  async submitBlock(header: Uint8Array, body: Uint8Array): Promise<Reception> {
    this.submissions.blocks++;
    try {
      const id = toHex(decodeWorkBlock(header, body, this.manifest).header.id);
      if (this.withoutWork.has(id)) return 'no_work';
      const verdict = this.verdicts.get(id)?.();
      if (verdict !== undefined) return verdict;
      if (this.blocks.has(id)) return 'known';
      this.addBlock({ id, header, body });
      return 'accepted';
    } catch (error) {
      if (isRefusal(error)) return 'reject';
      throw error;
    }
  }

  async headers(from: number, count: number): Promise<Uint8Array[]> {
    return this.cuts.slice(from - 1, from - 1 + count).map(({ header }) => header);
  }

  async cutBody(height: number): Promise<Uint8Array | undefined> {
    return this.cuts[height - 1]?.body;
  }

  async certificate(height: number): Promise<Uint8Array | undefined> {
    return this.cuts[height - 1]?.certificate ?? undefined;
  }

  async lastCertificate(from: number, last: number): Promise<CertifiedHeight | undefined> {
    for (const { height, certificate } of this.cuts.slice(from - 1, last).toReversed())
      if (certificate !== null) return { height, certificate };
    return undefined;
  }

  cutIds(height: number, from: number, count: number): Uint8Array | undefined {
    const ids = [this.manifest.chainId, ...this.cuts.map(({ id }) => fromHex(id))];
    return height > this.tip.height ? undefined : new IdList(ids).proof(height, from, count);
  }

  async validatorSet(setId: string): Promise<Uint8Array | undefined> {
    return this.script.sets.get(setId);
  }

  learnValidatorSet(): void {}

  nextValidatorSet(): { id: string; encoded: Uint8Array } {
    const { set } = this.script.committee(this.tip.height + 1);
    return { id: toHex(set.id), encoded: set.encoded };
  }

  vouch(headers: readonly Uint8Array[], certificate: Uint8Array): Promise<boolean> {
    const vouching = this.#installing.then(() => this.#vouch(headers, certificate));
    this.#installing = vouching.catch(() => {});
    return vouching;
  }

  async #vouch(headers: readonly Uint8Array[], certificate: Uint8Array): Promise<boolean> {
    const [first] = headers as [Uint8Array];
    if (toHex(decodeCutHeader(first).parentCutId) !== this.tip.cutId) return false;
    const { set } = this.script.committee(this.tip.height + headers.length);
    checkCut(headers.at(-1) as Uint8Array, certificate, set, this.manifest.chainId);
    for (const header of headers) this.#vouched.add(toHex(cutId(header)));
    return true;
  }

  install(cut: CutToInstall): Promise<Installation> {
    const installation = this.#installing.then(() => this.#install(cut));
    this.#installing = installation.catch(() => {});
    return installation;
  }

  async #install(cut: CutToInstall): Promise<Installation> {
    if (this.installDelayMillis > 0)
      await new Promise((resolve) => setTimeout(resolve, this.installDelayMillis));
    if (cut.height <= this.tip.height) return 'known';
    const header = decodeCutHeader(cut.header);
    const ids = decodeCutBody(cut.body).blockIds.map((id) => toHex(id));
    const follows =
      toHex(header.parentCutId) === this.tip.cutId && header.height === BigInt(cut.height);
    const state = stateAfter(this.#stateRoot, cut.body);
    const given = new Set(cut.blocks.map(({ id }) => id));
    const hasAll = ids.every((id) => given.has(id) || this.blocks.has(id));
    if (cut.certificate !== null) {
      const { set } = this.script.committee(cut.height);
      checkCut(cut.header, cut.certificate, set, this.manifest.chainId);
    } else if (!this.#vouched.has(toHex(cutId(cut.header)))) {
      return 'unproven';
    }
    if (!follows || !hasAll || !equalBytes(state, header.stateRoot))
      throw new Error(`cut ${cut.height} does not execute`);
    for (const { header: blockHeader, body, bodyRoot } of cut.blocks)
      assert.deepEqual(bodyRoot, decodeWorkBlock(blockHeader, body, this.manifest).body.bodyRoot);
    for (const block of cut.blocks) this.blocks.set(block.id, block);
    this.#commit({ ...cut, id: toHex(cutId(cut.header)) });
    return 'installed';
  }

  addBlock(block: BlockBytes): void {
    this.blocks.set(block.id, block);
    this.#pendingBlocks.add(block.id);
    this.#newBlocks.emit(block.id);
  }

  onTransaction(listener: (id: string) => void): () => void {
    return this.#transactions.on(listener);
  }

  onBlock(listener: (id: string) => void): () => void {
    return this.#newBlocks.on(listener);
  }

  onCut(listener: (tip: ChainTip) => void): () => void {
    return this.#newCuts.on(listener);
  }

  #commit(cut: KeptCut): void {
    const { height, id, header, body, certificate } = cut;
    this.cuts.push({ height, id, header, body, certificate });
    for (const blockId of decodeCutBody(body).blockIds) this.#pendingBlocks.delete(toHex(blockId));
    this.#stateRoot = stateAfter(this.#stateRoot, body);
    this.#newCuts.emit({ height, cutId: id });
  }
}
