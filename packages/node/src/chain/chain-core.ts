/**
 * The chain of a node: its store, what is final, and the one place where cuts are built, evaluated and
 * committed. Everything that changes the state or depends on it goes through one queue. The chain does not
 * decide which cut is final: a certificate does.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, type Log, Signal } from 'svc-base/pure';
import { decodeCut, type EncodedCut, type WireContext } from 'svc-consensus/machine';
import {
  bytesOf,
  type EconomyRecord,
  type EpochRecord,
  type Genesis,
  type LedgerParameters,
  SINGLE_KEY,
  type StateView,
  viewForNextCut,
  type WireTransactions,
} from 'svc-ledger';
import type { Chain, CutStep, FinalizedCut, StateProofs } from 'svc-serve/ports';
import {
  type BlockBytes,
  type ChainReader,
  type CommitOptions,
  type CutLink,
  type Filled,
  type Head,
  type LedgerStore,
  type PastCut,
  type PastIds,
  proveAddress,
  proveOutput,
  proveTotals,
  type Retention,
} from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { hashLabel, type Manifest, type ValidatorSet } from 'svc-wasm/protocol';
import { CertifiedBlocks, type CheckAhead, NO_CHECK_AHEAD } from './certified-blocks.ts';
import { ChainDivergedError, cannotBeFinal } from './chain-errors.ts';
import {
  type BlockSource,
  type BuildRequest,
  CutEvaluator,
  type EvaluateRequest,
} from './cut-evaluator.ts';
import type { Evaluation } from './evaluation.ts';
import { type Execution, Executions } from './executions.ts';
import { expectRecovery } from './expect-recovery.ts';
import { FinalityProofs, type ProofStart, refusalOf, type Vouching } from './finality-proofs.ts';
import { type NextHeight, nextHeightOf, ProposerTurns } from './next-height.ts';
import { type OpenChainOptions, type OpenedChain, openChain } from './open-chain.ts';
import type { GivenBlock } from './work-blocks.ts';
import { WriterQueue } from './writer-queue.ts';

export interface ChainOptions extends Omit<OpenChainOptions, 'onDamage'> {
  readonly clock: Clock;
  readonly log: Log;
  /** Called when the state or the disk is not what it must be; nothing may continue afterwards. */
  readonly onFatal: (error: unknown) => void;
  readonly checkAhead?: CheckAhead;
  /**
   * Several cuts that are installed one after another become durable together, and a crash may lose the last of
   * them. Not for validators: their records of signatures must not be ahead of their chain.
   */
  readonly installsInGroups?: boolean;
}

export interface StepTime {
  readonly step: CutStep;
  readonly seconds: number;
}

export interface EvaluateOptions {
  /** The cut is certified: blocks given with `offer` count, even if the pool would refuse them. */
  readonly isCertified?: boolean;
}

export interface CutToInstall {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
  /** Null only for a cut that `vouch` has shown to be final. */
  readonly certificate: Uint8Array | null;
  /** Every block that the cut registers. */
  readonly blocks: readonly GivenBlock[];
}

/** `refused` blames the source of the cut. */
export type Installation =
  | { readonly type: 'installed'; readonly cut: FinalizedCut }
  | { readonly type: 'known' }
  | { readonly type: 'ahead' }
  /** The cut's evidence is about a set from before this node's first cut; see `learnSet`. */
  | { readonly type: 'missing_set'; readonly setId: string }
  | { readonly type: 'refused'; readonly reason: string };

/** How long cuts of one group are executed without a turn for anything else. */
const BUSY_MILLIS_MAX = 8;
const NO_BLOCKS: BlockSource = { get: () => undefined, registrable: () => [] };

export class ChainCore implements Chain {
  static async open(options: ChainOptions): Promise<ChainCore> {
    const { onFatal: onDamage } = options;
    return new ChainCore(options, await openChain({ ...options, onDamage }));
  }

  readonly genesis: Genesis;
  readonly parameters: LedgerParameters;
  readonly manifest: Manifest;
  readonly transactions: WireTransactions;
  readonly finalized = new Signal<FinalizedCut>();
  /** Emitted after each step of a cut, with its duration. */
  readonly stepped = new Signal<StepTime>();
  /** For the bytes that validators exchange. */
  readonly wire: WireContext;
  readonly proofs: StateProofs;
  readonly store: LedgerStore;
  readonly #options: ChainOptions;
  readonly #opened: OpenedChain;
  readonly #turns: ProposerTurns;
  readonly #executions: Executions;
  readonly #evaluator: CutEvaluator;
  readonly #queue: WriterQueue;
  readonly #finalityProofs: FinalityProofs;
  readonly #certified: CertifiedBlocks;
  #blocks: BlockSource = NO_BLOCKS;
  #next: NextHeight;
  #view: StateView;
  #headCertificate: Uint8Array | null;
  #headTimeMillis: number;
  /** Resolves when the outputs and signatures of the cut after the head are read ahead. */
  #prepared: Promise<void> | undefined;
  /** What the next cut needs was read, but for its buckets. */
  #isPreparedWithoutTrees = false;
  #closing: Promise<void> | undefined;
  /** Cuts that `install` was given and that are not done. */
  #installing = 0;
  #gaveWayAt = 0;

  private constructor(options: ChainOptions, opened: OpenedChain) {
    const { store, parameters, transactions, recent, sets, waiting } = opened;
    this.#options = options;
    this.#opened = opened;
    this.store = store;
    this.genesis = options.genesis;
    this.parameters = parameters;
    this.manifest = opened.manifest;
    this.transactions = transactions;
    const { checkAhead = NO_CHECK_AHEAD } = options;
    this.#certified = new CertifiedBlocks({ chain: this, checkAhead });
    this.#turns = new ProposerTurns(parameters.interval);
    this.#queue = new WriterQueue(options.onFatal);
    this.#executions = new Executions(store, parameters, transactions, waiting);
    this.#headCertificate = opened.headCertificate;
    this.#view = this.#nextView();
    this.#headTimeMillis = this.#economy.timeMillis;
    this.#next = this.#nextHeight();
    const chainId = bytesOf(store.chainId);
    const executions = this.#executions;
    this.#evaluator = new CutEvaluator({ store, chainId, sets, recent, executions });
    this.#finalityProofs = new FinalityProofs(chainId, sets);
    this.wire = { chainId, setIdAt: (at) => sets.at(at)?.id };
    this.proofs = {
      output: (outpoint) => proveOutput(store, outpoint),
      address: (address) => proveAddress(store, address),
      totals: () => proveTotals(store),
      cuts: (height, earlier) => store.pastIds.prove(height, earlier),
    };
    this.#prepareSoon();
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

  get headTimeMillis(): number {
    return this.#headTimeMillis;
  }

  /** The state after the head, as the next cut finds it. */
  get view(): StateView {
    return this.#view;
  }

  /** The height after the head. */
  get next(): NextHeight {
    return this.#next;
  }

  /** The certificate with which the head was committed; null at the genesis. */
  get headCertificate(): Uint8Array | null {
    return this.#headCertificate;
  }

  /** Sets the pool of blocks that wait to be registered: it is opened after the chain. */
  useBlocks(blocks: BlockSource): void {
    this.#blocks = blocks;
  }

  recentCutId(height: number): string | undefined {
    return this.#opened.recent.get(height)?.cutId;
  }

  setAt(height: number): ValidatorSet | undefined {
    return this.#opened.sets.at(height);
  }

  /** A set that signs or signed at a height that is kept. */
  setWithId(setId: string): ValidatorSet | undefined {
    return this.#opened.sets.withId(setId);
  }

  /** Gives a set that evidence about an epoch before this node's first cut names. */
  learnSet(encoded: Uint8Array): void {
    this.#opened.sets.learnNamed(encoded);
  }

  reader(): ChainReader {
    return this.store.reader();
  }

  /** Makes a cut to propose; undefined if the height has passed or `isWanted` is false when its turn comes. */
  build(
    request: BuildRequest,
    isWanted: () => boolean = () => true,
  ): Promise<EncodedCut | undefined> {
    return this.#queue.enqueue(() => {
      if (request.height !== this.#next.height || !isWanted()) return undefined;
      const now = this.#options.clock.now();
      return this.#timed('propose', () =>
        this.#evaluator.build(request, this.#next, this.#blocks, now),
      ).cut;
    });
  }

  /** Executes a cut that may follow the head; a cut that was built or evaluated before is not executed again. */
  evaluate(cut: EncodedCut, { isCertified = false }: EvaluateOptions = {}): Promise<Evaluation> {
    return this.#queue.enqueue(() =>
      this.#timed('check', () => this.#evaluate(cut, { isCertified })),
    );
  }

  /** Makes the cut of an execution final. A cut that was final before is passed over. */
  commit(execution: Execution, certificate: Uint8Array): Promise<FinalizedCut | undefined> {
    return this.#queue.enqueue(() => {
      const { height } = execution.input;
      if (height > this.head.height) return this.#commit(execution, certificate);
      this.#expectSame(height, execution.cut.value);
      return undefined;
    });
  }

  /** Gives a block for a certified cut; false if the bytes are no block of this chain. */
  offer(bytes: Pick<BlockBytes, 'header' | 'body'>): boolean {
    return this.#certified.offer(bytes);
  }

  /** Shows that headers which follow the head are final, by the certificate of the last. */
  vouch(headers: readonly Uint8Array[], certificate: Uint8Array): Promise<Vouching> {
    return this.#queue.enqueue(() =>
      this.#finalityProofs.vouch(this.#proofStart, headers, certificate),
    );
  }

  /** Makes a cut that others decided final. Several can be asked for at once, in their order. */
  install(given: CutToInstall): Promise<Installation> {
    let decoded: EncodedCut | undefined;
    const reason = refusalOf(() => {
      decoded = decodeCut(given.header, given.body);
    });
    if (reason !== null) return Promise.resolve({ type: 'refused', reason });
    const cut = decoded as EncodedCut;
    this.#certified.decodeAhead(Number(cut.fields.height), given.blocks);
    this.#installing++;
    return this.#queue.enqueue(async () => {
      try {
        return await this.#install(cut, given);
      } finally {
        this.#installing--;
        await this.#endGroup();
      }
    });
  }

  /** The cut before the first one that is here; undefined if there is none, or if old cuts are not kept. */
  get pastLink(): CutLink | undefined {
    return this.store.pastLink;
  }

  /** The ids of all cuts before the head. */
  get pastIds(): PastIds {
    return this.store.pastIds;
  }

  get idsLeft(): number {
    return this.pastIds.left;
  }

  /** Adds ids of earlier cuts, between two cuts of the chain. */
  addPastIds(from: number, ids: readonly Uint8Array[]): Promise<void> {
    return this.#queue.enqueue(async () => this.pastIds.add(from, ids));
  }

  /** What is here of cuts whose histories, outcomes and events are not. */
  get filled(): Filled {
    return this.store.filled;
  }

  keepsPastBlocks(height: number): boolean {
    return this.store.keepsPastBlocks(height);
  }

  /** Adds cuts below the first one, the newest first, between two cuts of the chain. */
  fillPast(cuts: readonly PastCut[]): Promise<void> {
    return this.#queue.enqueue(() => this.store.fillPast(cuts));
  }

  async close(): Promise<void> {
    this.#closing ??= this.#queue.close().then(() => this.store.close());
    await this.#closing;
  }

  get #economy(): EconomyRecord {
    return this.view.get('economy', SINGLE_KEY) as EconomyRecord;
  }

  #nextView(): StateView {
    const { parameters, store } = this;
    return viewForNextCut({ hash: hashLabel, parameters }, store.view);
  }

  #nextHeight(): NextHeight {
    const { recent, sets } = this.#opened;
    sets.learn(this.store.view.get('epoch', SINGLE_KEY) as EpochRecord);
    const set = sets.at(this.head.height + 1) as ValidatorSet;
    return nextHeightOf(this.#economy, set, recent, this.#turns, this.parameters);
  }

  get #proofStart(): ProofStart {
    const { height, cutId } = this.head;
    return { height, cutId, timeMillis: this.headTimeMillis, validators: this.#next.validators };
  }

  #timed<T>(step: CutStep, perform: () => T): T {
    const began = performance.now();
    const result = perform();
    this.stepped.emit({ step, seconds: (performance.now() - began) / 1_000 });
    return result;
  }

  #evaluate(cut: EncodedCut, request: EvaluateRequest): Evaluation {
    const { isCertified } = request;
    return this.#evaluator.evaluate(
      cut,
      this.#next,
      (id) => this.#blocks.get(id) ?? (isCertified ? this.#certified.get(id) : undefined),
      request,
    );
  }

  async #install(cut: EncodedCut, { certificate, blocks }: CutToInstall): Promise<Installation> {
    const height = Number(cut.fields.height);
    if (height <= this.head.height) return { type: 'known' };
    if (height > this.#next.height) return { type: 'ahead' };
    const reason = this.#finalityProofs.faultOf(cut, certificate) ?? this.#offerBlocks(cut, blocks);
    if (reason !== null) return { type: 'refused', reason };
    await this.#prepare();
    const isBehind = this.#installing > 1 || certificate === null;
    const mayWait = this.#options.installsInGroups === true && isBehind;
    const isDeferred = mayWait && this.store.hasRoom;
    if (!isDeferred && this.#isPreparedWithoutTrees) await this.#executions.prepare(false);
    const evaluation = this.#evaluate(cut, { isCertified: true, isDeferred });
    if (evaluation.type === 'fault') throw cannotBeFinal(cut, evaluation.reason);
    if (evaluation.type === 'missing' && evaluation.setId !== undefined)
      return { type: 'missing_set', setId: evaluation.setId };
    if (evaluation.type === 'missing') throw cannotBeFinal(cut, `${evaluation.what} is missing`);
    const installed = await this.#commit(evaluation.execution, certificate, { mayWait });
    if (mayWait) await this.#giveWay();
    return { type: 'installed', cut: installed };
  }

  /** Makes a group durable if no further cut has come after one turn, in which peers may hand over more. */
  async #endGroup(): Promise<void> {
    if (this.#installing > 0 || !this.store.hasWaitingCuts) return;
    await nextTurn();
    if (this.#installing === 0) await this.store.flush();
  }

  /** Lets everything else have its turn now and then: cuts that wait for no disk would follow each other without one. */
  async #giveWay(): Promise<void> {
    if (performance.now() - this.#gaveWayAt < BUSY_MILLIS_MAX) return;
    await nextTurn();
    this.#gaveWayAt = performance.now();
  }

  /** Offers the blocks that came with a cut; why they are not exactly those that it registers, or null. */
  #offerBlocks(cut: EncodedCut, blocks: readonly GivenBlock[]): string | null {
    const wanted = new Set(cut.content.blockIds.map((id) => toHex(id)));
    for (const block of blocks)
      if (!wanted.has(block.id) || !this.#certified.offer(block))
        return `block ${block.id} is not one that the cut registers`;
    const isHere = (id: string) => (this.#blocks.get(id) ?? this.#certified.get(id)) !== undefined;
    const missing = [...wanted].find((id) => !isHere(id));
    return missing === undefined ? null : `block ${missing} is missing`;
  }

  async #commit(
    execution: Execution,
    certificate: Uint8Array | null,
    options: CommitOptions = {},
  ): Promise<FinalizedCut> {
    const { cut, input, result, blocks } = execution;
    const { header, body } = cut;
    const bytes = blocks.map((block) => block.bytes);
    const began = performance.now();
    await this.store.commit({ input, result, header, body, certificate, blocks: bytes }, options);
    this.stepped.emit({ step: 'commit', seconds: (performance.now() - began) / 1_000 });
    return this.#advance(execution, certificate);
  }

  #expectSame(height: number, value: string): void {
    const known = this.recentCutId(height);
    if (known === undefined || known === value) return;
    throw new ChainDivergedError(`two cuts are final at height ${height}: ${known} and ${value}`);
  }

  #advance(execution: Execution, certificate: Uint8Array | null): FinalizedCut {
    const { cut, input, result } = execution;
    const { height } = input;
    const { previousSigners } = cut.fields;
    this.#opened.recent.add(height, { cutId: cut.value, previousSigners });
    this.#executions.advance(execution);
    this.#certified.forget(execution.blocks);
    this.#finalityProofs.forgetUpTo(height);
    this.#headCertificate = certificate;
    this.#headTimeMillis = input.timeMillis;
    const recovery = this.parameters.recoveries.find((one) => one.height === height);
    if (recovery !== undefined) expectRecovery(recovery, this.store.view, cut.value);
    this.#view = this.#nextView();
    this.#next = this.#nextHeight();
    this.#prepareSoon();
    const finalized: FinalizedCut = {
      height,
      cutId: cut.value,
      header: cut.fields,
      headerBytes: cut.header,
      certificate,
      input,
      result,
      finalizedAtMillis: this.#options.clock.now(),
    };
    this.#timed('announce', () => this.finalized.emit(finalized));
    return finalized;
  }

  #prepareSoon(): void {
    this.#prepared = undefined;
    this.#isPreparedWithoutTrees = false;
    if (this.#executions.waiting.length === 0) return;
    this.#queue.enqueue(() => this.#prepare()).catch(() => {}); // The queue has reported the error.
  }

  /** Reads outputs ahead and has signatures checked for the blocks that the next cut executes, once a cut. */
  #prepare(): Promise<void> {
    this.#prepared ??= this.#prepareNow();
    return this.#prepared;
  }

  async #prepareNow(): Promise<void> {
    const { checkAhead = NO_CHECK_AHEAD } = this.#options;
    const transactions = this.#executions.waiting.flatMap((block) => block.transactions);
    if (transactions.length === 0) return;
    const mayWait = this.#options.installsInGroups === true && this.#installing > 1;
    const isDeferred = mayWait && this.store.hasRoom;
    this.#isPreparedWithoutTrees = isDeferred;
    await this.#executions.prepare(isDeferred);
    await checkAhead.checkAhead(transactions, this.view);
  }
}
