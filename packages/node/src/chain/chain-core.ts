/**
 * The chain of a node: its store, what is final, and the one place where cuts are built, judged, executed and
 * committed. Everything that changes the state or depends on it goes through one queue. It decides nothing:
 * which cut is final is said by a certificate.
 */
import type { EncodedCut, WireContext } from 'svc-finality';
import {
  bytesOf,
  type EconomyRecord,
  type EpochRecord,
  type Genesis,
  type LedgerParameters,
  SINGLE_KEY,
  type StateView,
  type WireTransactions,
} from 'svc-ledger';
import type { BlockBytes, ChainReader, Head, LedgerStore, Retention } from 'svc-storage';
import { proveAddress, proveOutput } from 'svc-storage';
import type { Manifest, ValidatorSet } from 'svc-wasm/protocol';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import type { Chain, FinalizedCut } from '../ports/chain.ts';
import { type CheckAhead, NO_CHECK_AHEAD } from '../ports/check-ahead.ts';
import type { StateProofs } from '../ports/proofs.ts';
import { ChainDivergedError } from './chain-errors.ts';
import { type BlockSource, type BuildRequest, CutJudge } from './cut-judge.ts';
import { EarlyBlocks } from './early-blocks.ts';
import { type Execution, Executions } from './executions.ts';
import { type CutToInstall, type Installation, readCut, type Vouching } from './installation.ts';
import { Installer } from './installer.ts';
import type { Judgement } from './judgement.ts';
import { type NextHeight, nextHeightOf, ProposerTurns } from './next-height.ts';
import { type OpenChainOptions, type OpenedChain, openChain } from './open-chain.ts';
import type { WorkBlock } from './work-blocks.ts';
import { WriterQueue } from './writer-queue.ts';

export interface ChainOptions extends OpenChainOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Nothing may go on after it: the state or the disk is not what it must be. */
  readonly onFatal: (error: unknown) => void;
  readonly checkAhead?: CheckAhead;
}

/** What a node does with a cut: `check` includes executing it, unless it was built here. */
export type CutStep = 'propose' | 'check' | 'commit' | 'announce';

export interface StepTime {
  readonly step: CutStep;
  readonly seconds: number;
}

export interface JudgeOptions {
  /** The cut is certified: blocks given with `offer` count, whatever the pool thinks of them. */
  readonly isCertified?: boolean;
}

const NO_BLOCKS: BlockSource = { get: () => undefined, registrable: () => [] };

export class ChainCore implements Chain {
  static async open(options: ChainOptions): Promise<ChainCore> {
    return new ChainCore(options, await openChain(options));
  }

  readonly genesis: Genesis;
  readonly parameters: LedgerParameters;
  readonly manifest: Manifest;
  readonly transactions: WireTransactions;
  readonly finalized = new Signal<FinalizedCut>();
  /** How long each step of a cut took here. */
  readonly stepped = new Signal<StepTime>();
  /** For the bytes that validators exchange. */
  readonly wire: WireContext;
  readonly proofs: StateProofs;
  readonly store: LedgerStore;
  readonly #options: ChainOptions;
  readonly #opened: OpenedChain;
  readonly #turns: ProposerTurns;
  readonly #executions: Executions;
  readonly #judge: CutJudge;
  readonly #queue: WriterQueue;
  readonly #installer: Installer;
  readonly #offered = new Map<string, WorkBlock>();
  readonly #early: EarlyBlocks;
  #blocks: BlockSource = NO_BLOCKS;
  #next: NextHeight;
  #headCertificate: Uint8Array | null;
  #headTimeMillis: number;
  /** Of the cut after the head. */
  #prepared: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

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
    this.#early = new EarlyBlocks({ chain: this, checkAhead });
    this.#turns = new ProposerTurns(parameters.interval);
    this.#queue = new WriterQueue(options.onFatal);
    this.#executions = new Executions(store, parameters, transactions, waiting);
    this.#headCertificate = opened.headCertificate;
    this.#headTimeMillis = this.#economy.timeMillis;
    this.#next = this.#nextHeight();
    this.#judge = new CutJudge({
      store,
      chainId: bytesOf(store.chainId),
      sets,
      recent,
      executions: this.#executions,
      blocks: () => this.#blocks,
      next: () => this.#next,
    });
    this.wire = { chainId: bytesOf(store.chainId), setIdAt: (at) => sets.at(at)?.id };
    this.#installer = new Installer({
      chainId: this.wire.chainId,
      setAt: (height) => sets.at(height),
      head: () => ({ ...this.head, timeMillis: this.headTimeMillis, next: this.#next }),
      offer: (block) => this.offer(block),
      holds: (id) => this.#blocks.get(id) !== undefined || this.#offered.has(id),
      commit: async (cut, certificate) => {
        await this.#prepare();
        return this.#commit(cut, certificate);
      },
    });
    this.proofs = {
      output: (outpoint) => proveOutput(store, outpoint),
      address: (address) => proveAddress(store, address),
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

  get view(): StateView {
    return this.store.view;
  }

  /** The height after the head. */
  get next(): NextHeight {
    return this.#next;
  }

  /** As it was committed, with all signers that were known then; null at the genesis. */
  get headCertificate(): Uint8Array | null {
    return this.#headCertificate;
  }

  /** The blocks that wait to be registered; the pool comes after the chain, so it is told later. */
  useBlocks(blocks: BlockSource): void {
    this.#blocks = blocks;
  }

  recentCutId(height: number): string | undefined {
    return this.#opened.recent.get(height)?.cutId;
  }

  setAt(height: number): ValidatorSet | undefined {
    return this.#opened.sets.at(height);
  }

  reader(): ChainReader {
    return this.store.reader();
  }

  /** A cut to propose; undefined if its turn comes when its height has passed or nobody wants it any more. */
  build(
    request: BuildRequest,
    isWanted: () => boolean = () => true,
  ): Promise<EncodedCut | undefined> {
    return this.#queue.run(() =>
      request.height === this.#next.height && isWanted()
        ? this.#timed('propose', () => this.#judge.build(request, this.#options.clock.now()))
        : undefined,
    );
  }

  judge(cut: EncodedCut, { isCertified = false }: JudgeOptions = {}): Promise<Judgement> {
    const blockOf = (id: string) => this.#blocks.get(id) ?? this.#offeredBlock(id, isCertified);
    return this.#queue.run(() => this.#timed('check', () => this.#judge.judge(cut, blockOf)));
  }

  #timed<T>(step: CutStep, run: () => T): T {
    const began = performance.now();
    const result = run();
    this.stepped.emit({ step, seconds: (performance.now() - began) / 1_000 });
    return result;
  }

  #offeredBlock(id: string, isCertified: boolean): WorkBlock | undefined {
    return isCertified ? this.#offered.get(id) : undefined;
  }

  /** Gives a block for a cut that is certified; false if it is no block of this chain. */
  offer(bytes: Pick<BlockBytes, 'header' | 'body'>): boolean {
    const block = this.#early.read(bytes);
    if (block !== undefined) this.#offered.set(block.block.id, block);
    return block !== undefined;
  }

  /** Makes a decided cut final. One that was final before is passed over. */
  commit(cut: EncodedCut, certificate: Uint8Array): Promise<FinalizedCut | undefined> {
    return this.#queue.run(() => this.#commit(cut, certificate));
  }

  /** Shows that headers which follow the head are final, by the certificate of the last. */
  vouch(headers: readonly Uint8Array[], certificate: Uint8Array): Promise<Vouching> {
    return this.#queue.run(() => this.#installer.vouch(headers, certificate));
  }

  /** Takes over a cut that others decided. Several can be asked for at once, in their order. */
  install(cut: CutToInstall): Promise<Installation> {
    const read = readCut(cut);
    if (typeof read === 'string') return Promise.resolve({ type: 'refused', reason: read });
    this.#early.begin(cut.blocks);
    return this.#queue.run(() => this.#installer.install(read, cut));
  }

  async close(): Promise<void> {
    this.#closing ??= this.#queue.close().then(() => this.store.close());
    await this.#closing;
  }

  get #economy(): EconomyRecord {
    return this.view.get('economy', SINGLE_KEY) as EconomyRecord;
  }

  #nextHeight(): NextHeight {
    const { recent, sets } = this.#opened;
    const epoch = this.view.get('epoch', SINGLE_KEY) as EpochRecord;
    sets.learn(epoch);
    const set = sets.ofEpoch(epoch.epoch) as ValidatorSet;
    const { interval } = this.parameters;
    return nextHeightOf(this.#economy, epoch, set, recent, this.#turns, interval);
  }

  async #commit(
    cut: EncodedCut,
    certificate: Uint8Array | null,
  ): Promise<FinalizedCut | undefined> {
    const height = Number(cut.fields.height);
    if (height <= this.head.height) {
      this.#expectSame(height, cut.value);
      return undefined;
    }
    const judgement = this.#judge.judge(cut, (id) => this.#blocks.get(id) ?? this.#offered.get(id));
    const execution = this.#executions.of(cut.value);
    if (execution === undefined) {
      const why = judgement.type === 'invalid' ? judgement.reason : 'something is missing';
      throw new ChainDivergedError(`cut ${height}, ${cut.value}, cannot be made final: ${why}`);
    }
    const { input, result, blocks } = execution;
    const bytes = blocks.map((block) => block.bytes);
    const { header, body } = cut;
    const began = performance.now();
    await this.store.commit({ input, result, header, body, certificate, blocks: bytes });
    this.stepped.emit({ step: 'commit', seconds: (performance.now() - began) / 1_000 });
    return this.#advance(cut, execution, certificate);
  }

  #expectSame(height: number, value: string): void {
    const known = this.recentCutId(height);
    if (known === undefined || known === value) return;
    throw new ChainDivergedError(`two cuts are final at height ${height}: ${known} and ${value}`);
  }

  #advance(cut: EncodedCut, execution: Execution, certificate: Uint8Array | null): FinalizedCut {
    const { input, result } = execution;
    const { height } = input;
    const { previousSigners } = cut.fields;
    this.#opened.recent.add(height, { cutId: cut.value, previousSigners });
    this.#executions.advance(execution);
    this.#offered.clear();
    this.#early.forget(execution.blocks);
    this.#installer.forgetUpTo(height);
    this.#headCertificate = certificate;
    this.#headTimeMillis = input.timeMillis;
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
    if (this.#executions.waiting.length === 0) return;
    this.#queue.run(() => this.#prepare()).catch(() => {}); // The queue has reported it.
  }

  /** Reads ahead and has signatures checked for what the next cut executes; once for each cut, in the queue. */
  #prepare(): Promise<void> {
    this.#prepared ??= this.#prepareNow();
    return this.#prepared;
  }

  async #prepareNow(): Promise<void> {
    const { checkAhead = NO_CHECK_AHEAD } = this.#options;
    const transactions = this.#executions.waiting.flatMap((block) => block.transactions);
    if (transactions.length === 0) return;
    await this.#executions.prepare();
    await checkAhead.checkAhead(transactions, this.view);
  }
}
