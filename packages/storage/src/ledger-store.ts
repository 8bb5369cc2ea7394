/**
 * The store of one chain: the committed state and trees for the ledger, and one atomic, durable batch for
 * each decided cut, or for several of them while a node catches up. It runs on any `KeyValueStore`; `open/open-store.ts` opens one in a directory.
 *
 * A cut is applied against `view` and `commitments` and then committed or discarded. One caller writes.
 */
import {
  type CheckRoots,
  type Commitments,
  type CutInput,
  type CutResult,
  type EpochRecord,
  type GenesisResult,
  type Identifier,
  type LedgerParameters,
  SINGLE_KEY,
  type StateView,
  totalsBytes,
  type VouchedCut,
  viewForNextCut,
} from 'svc-ledger';
import { toHex } from 'svc-wasm/base';
import { cutId, decodeCutHeader, hashLabel } from 'svc-wasm/protocol';
import type { ChainReader } from './chain-reader.ts';
import { packed } from './codec/codec.ts';
import {
  type Compacted,
  compactedCodec,
  type Filled,
  filledCodec,
  type Head,
  headCodec,
  type Retention,
  retentionCodec,
} from './codec/meta-records.ts';
import { Packer } from './codec/packer.ts';
import { BatchBuilder } from './commit/batch-builder.ts';
import type { BlockBytes, CutCommit } from './commit/cut-commit.ts';
import { metaKey } from './commit/keys.ts';
import { outputsMore } from './commit/outputs-more.ts';
import { prune, pruneFilled, thinCertificates } from './commit/prune.ts';
import { writeBlocks, writeChain, writeLargeBodies } from './commit/write-chain.ts';
import {
  writeHistory,
  writeKeyHeights,
  writeOutcomes,
  writeSummary,
  writeWork,
} from './commit/write-indexes.ts';
import {
  type CutLink,
  hasBlocksToStart,
  linkBelow,
  type PastCut,
  writePast,
} from './commit/write-past.ts';
import { writeState, writeTrees, writeUnspent } from './commit/write-state.ts';
import type { Compaction } from './compaction/compaction.ts';
import { FatalStorageError } from './errors.ts';
import type { PastIds } from './history/past-ids.ts';
import type { GuardedStore } from './key-value/guarded-store.ts';
import type { KeyValueStore } from './key-value/key-value-store.ts';
import { type PrepareOptions, prepareCut, READ_AHEAD_MIN, readDeferred } from './prepare-cut.ts';
import { FrozenState } from './ranges/frozen-state.ts';
import { StoredChainReader } from './reader/stored-chain-reader.ts';
import type { RetentionRule } from './retention.ts';
import type { StoredState } from './state/stored-state.ts';
import type { StateTrees } from './trees/state-trees.ts';

export interface StoreParts {
  readonly keyValues: GuardedStore;
  readonly parameters: LedgerParameters;
  readonly chainId: string;
  readonly head: Head | null;
  readonly retention: Retention;
  readonly filled: Filled | undefined;
  readonly rule: RetentionRule;
  readonly compaction: Compaction;
  readonly pastIds: PastIds;
  readonly state: StoredState;
  readonly trees: StateTrees;
  /** Whether the trees were read as they were saved, and not built from their records. */
  readonly areTreesRestored: boolean;
  /** Called when the trees hold a cut, before the database gets anything of it; the write waits for the promise. */
  readonly beforeWrite: (head: Head) => Promise<void> | undefined;
  /** Called when a cut and all before it are durable. */
  readonly onCommit: (head: Head) => void;
  /** Called when the store is closed, with the trees if they are those of the head and this is durable. */
  readonly onClose: (trees: StateTrees | undefined, head: Head | null) => Promise<void>;
}

export interface CommitOptions {
  /** The cut may be kept in memory and made durable together with later ones; a crash may lose it until then. */
  readonly mayWait?: boolean;
}

/** Cuts and bytes of records that are kept in memory before they are made durable; buckets and balances come on top at the end. */
export const KEPT_CUTS_MAX = 128;
const KEPT_BYTES_MAX = 16 << 20;
/**
 * When so many leaves wait no further cut is deferred, since the main thread applies them in one go. Two full cuts of payments with
 * one input and two outputs have them.
 */
export const DEFERRED_LEAVES_MAX = 26_112;

export class LedgerStore {
  readonly #parts: StoreParts;
  #head: Head | null;
  #retention: Retention;
  #filled: Filled | undefined;
  #recordedCompacted: Compacted;
  #writing: Promise<void> | undefined;
  readonly #packer = new Packer();
  #keptCuts = 0; // Since the last durable one.
  readonly #frozen = new Set<FrozenState>();

  /** Use `openStore` or `openStoreOn`, which check what they find. */
  constructor(parts: StoreParts) {
    this.#parts = parts;
    this.#head = parts.head;
    this.#retention = parts.retention;
    this.#filled = parts.filled;
    this.#recordedCompacted = parts.compaction.compacted;
  }

  /** The last committed cut; null before the genesis. */
  get head(): Head | null {
    return this.#head;
  }

  get retention(): Retention {
    return this.#retention;
  }

  /** What is stored of cuts without histories, outcomes and events. */
  get filled(): Filled {
    const { firstHeight, indexedFrom } = this.#retention;
    return this.#filled ?? { bodiesFrom: indexedFrom, certifiedFrom: firstHeight };
  }

  get chainId(): string {
    return this.#parts.chainId;
  }

  get view(): StateView {
    this.#parts.keyValues.expectUsable();
    return this.#parts.state;
  }

  get commitments(): Commitments {
    return this.#parts.trees;
  }

  get trees(): StateTrees {
    return this.#parts.trees;
  }

  /** Whether the trees were read as they were saved when the store was opened, and not built from their records. */
  get areTreesRestored(): boolean {
    return this.#parts.areTreesRestored;
  }

  get keyValues(): KeyValueStore {
    return this.#parts.keyValues;
  }

  /** Writes the state that the chain starts from. */
  async initialize(genesis: GenesisResult): Promise<void> {
    if (this.#head !== null) throw new Error('the store has a genesis already');
    if (genesis.chainId !== this.chainId) throw new Error('the genesis is of another chain');
    const head = this.#headOf(0, genesis.chainId, genesis);
    await this.#commit(genesis, head, false, async (batch) => {
      writeHistory(batch, 0, genesis.history);
      return this.#retention;
    });
  }

  /** Reads ahead the records that applying this cut will need; a caller may leave it out. */
  async prepare(
    input: CutInput,
    { least = READ_AHEAD_MIN, isDeferred = false }: Partial<PrepareOptions> = {},
  ): Promise<void> {
    await prepareCut(this.#parts, input, { least, isDeferred });
  }

  /** The state root is vouched for: trees apply the cut with later ones. It must be committed as one that may wait. */
  vouched(stateRoot: Identifier): VouchedCut {
    const { trees } = this.#parts;
    return { stateRoot, defer: (changes, check) => trees.defer(changes, this.#fatal(check)) };
  }

  /** Once the state is found not to be the one that was vouched for, the store answers nothing any more. */
  #fatal(check: CheckRoots): CheckRoots {
    return (roots) => {
      try {
        check(roots);
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        this.#parts.keyValues.refuse(
          new FatalStorageError(`${reason}; nothing of it was written, start again`, { cause }),
        );
        throw cause;
      }
    };
  }

  /** Reads in parallel what the trees need to apply deferred cuts, so that later requests do not read one by one. */
  async readTreesAhead(): Promise<void> {
    if (this.#parts.trees.hasUnwritten) await readDeferred(this.#parts);
  }

  /** Commits a decided cut: all of it or nothing, on the disk when the promise resolves unless it may wait. */
  async commit(cut: CutCommit, { mayWait = false }: CommitOptions = {}): Promise<void> {
    const { input, result } = cut;
    const head = this.#expectNext(cut);
    const { parameters } = this.#parts;
    const view = viewForNextCut({ hash: hashLabel, parameters }, this.view);
    const { members } = view.get('epoch', SINGLE_KEY) as EpochRecord;
    const reader = this.keyValues;
    const waits = mayWait && this.hasRoom;
    const puttingBodies = this.#putLargeBodies(cut.blocks);
    puttingBodies.catch(() => {}); // Awaited below.
    if (!waits) await puttingBodies;
    await this.#commit(result, head, waits, async (batch) => {
      writeChain(batch, cut, head.cutId, members);
      writeBlocks(batch, cut.blocks, { withLarge: false });
      writeHistory(batch, input.height, result.events.history);
      writeOutcomes(batch, reader, input.height, result.events.outcomes);
      writeWork(batch, cut);
      writeKeyHeights(batch, cut);
      writeSummary(batch, cut);
      thinCertificates(batch, input.height, parameters);
      await puttingBodies;
      return prune(batch, reader, input.height, this.#retention, this.#parts.rule);
    });
  }

  /** The cut before the first one that is here; undefined if there is none, or if old cuts are not kept. */
  get pastLink(): CutLink | undefined {
    const { rule } = this.#parts;
    if (rule.indexedCuts !== Number.POSITIVE_INFINITY) return undefined;
    return linkBelow(this.keyValues, this.#retention);
  }

  /** Whether the blocks of a cut below the first one are to be filled in with it. */
  keepsPastBlocks(height: number): boolean {
    const oldest = (this.#head?.height ?? 0) - this.#parts.rule.blockCuts;
    return height > oldest && hasBlocksToStart(this.#retention);
  }

  /** Adds cuts below the first one, the newest first. */
  async fillPast(cuts: readonly PastCut[]): Promise<void> {
    await this.flush();
    if (this.#writing !== undefined) throw new Error('a cut is being committed');
    const link = this.pastLink;
    if (link === undefined) throw new Error('nothing is missing below the first cut');
    const batch = new BatchBuilder();
    const { parameters } = this.#parts;
    const before = { retention: this.#retention, filled: this.filled };
    const past = writePast(batch, link, cuts, before, parameters);
    batch.putChecked(metaKey('retention'), packed(batch.packer, retentionCodec, past.retention));
    batch.putChecked(metaKey('filled'), packed(batch.packer, filledCodec, past.filled));
    this.#writing = this.keyValues.write(batch.operations, { sync: true });
    try {
      await this.#writing;
    } finally {
      this.#writing = undefined;
    }
    this.#retention = past.retention;
    this.#filled = past.filled;
    if (this.#head !== null) this.pastIds.follow(this.#head, past.retention.firstHeight);
  }

  /** Whether some committed cuts are not durable yet. */
  get hasWaitingCuts(): boolean {
    return this.#keptCuts > 0;
  }

  /** Makes all committed cuts durable; nothing else may be written meanwhile. */
  async flush(): Promise<void> {
    const head = this.#head;
    if (this.#keptCuts === 0 || head === null) return;
    if (this.#writing !== undefined) throw new Error('a cut is being committed');
    this.#writing = this.#flush(head);
    try {
      await this.#writing;
    } finally {
      this.#writing = undefined;
    }
    this.#keptCuts = 0;
    this.#parts.onCommit(head);
  }

  async #flush(head: Head): Promise<void> {
    const { keyValues, trees, beforeWrite } = this.#parts;
    if (trees.hasUnwritten) {
      await this.readTreesAhead();
      const writing = keyValues.batch({ mayWait: true });
      writeTrees(new BatchBuilder(writing, this.#packer), trees.writes());
      const noted = beforeWrite(head);
      const written = writing.write({ sync: true });
      trees.written();
      await written;
      await noted;
    }
    await keyValues.flush();
  }

  /** Whether a cut with `mayWait` will be kept in memory: only then it may be deferred. */
  get hasRoom(): boolean {
    const { keyValues, trees } = this.#parts;
    return (
      this.#keptCuts + 1 < KEPT_CUTS_MAX &&
      keyValues.keptBytes < KEPT_BYTES_MAX &&
      trees.deferredLeaves < DEFERRED_LEAVES_MAX
    );
  }

  /**
   * Writes what is in files at once, also of cuts that wait: it is two thirds of all that a cut writes, and nothing refers to it
   * before its cut is there. It is durable with it.
   */
  async #putLargeBodies(blocks: readonly BlockBytes[]): Promise<void> {
    const batch = new BatchBuilder();
    writeLargeBodies(batch, blocks);
    if (batch.operations.length > 0) await this.#parts.keyValues.writeBeside(batch.operations);
  }

  /** Reads of a turn in which nothing is being committed belong to one cut. */
  get isCommitting(): boolean {
    return this.#writing !== undefined;
  }

  /** Resolves when the commit that is under way has ended; another may have begun before the caller has its turn. */
  async settled(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing.catch(() => {});
  }

  /** The ids of all cuts before the head. */
  get pastIds(): PastIds {
    return this.#parts.pastIds;
  }

  /** Resolves when the files have no pass of compaction under way. */
  async compacted(): Promise<void> {
    await this.#parts.compaction.ended();
  }

  /** Forgets an applied cut that was not decided. */
  discard(): void {
    this.#parts.trees.discard();
  }

  /** A view of the head for readers, which ends with the next cut; see `readAtHead`. */
  reader(): ChainReader {
    return new StoredChainReader(this.keyValues, this.#parts.trees.deferredBalance);
  }

  /** Keeps the state of the head readable while later cuts are committed, until it is released. */
  freeze(keptRecordsMax: number): FrozenState {
    const head = this.#head;
    if (head === null || this.#writing !== undefined)
      throw new Error('there is no cut, or one is being committed');
    // The root is compared before the state is given out.
    this.#parts.trees.committed('outputs');
    const release = (): void => void this.#frozen.delete(frozen);
    const frozen = new FrozenState(head, this.keyValues, release, keptRecordsMax);
    this.#frozen.add(frozen);
    return frozen;
  }

  /** The totals of the committed state, for proofs. */
  totals(): Uint8Array {
    const economy = this.view.get('economy', SINGLE_KEY);
    const epoch = this.view.get('epoch', SINGLE_KEY);
    if (economy === undefined || epoch === undefined) throw new Error('there is no genesis');
    return totalsBytes(this.view, economy, epoch);
  }

  /** Files are closed also if the last cuts cannot be made durable; then it rejects, as a failed commit does. */
  async close(): Promise<void> {
    const { keyValues, trees, compaction, onClose } = this.#parts;
    try {
      await compaction.stop();
      if (keyValues.isUsable && this.#writing === undefined) await this.flush();
    } finally {
      try {
        this.pastIds.close();
        await keyValues.close();
      } finally {
        const isSettled = keyValues.isUsable && this.#writing === undefined;
        await onClose(isSettled && !this.hasWaitingCuts ? trees : undefined, this.#head);
      }
    }
  }

  #headOf(
    height: number,
    id: string,
    { stateRoot, trees, changes }: Pick<CutResult, 'stateRoot' | 'trees' | 'changes'>,
  ) {
    const outputs =
      trees.roots === undefined
        ? (this.#head?.outputs ?? 0) + outputsMore(changes)
        : Number(trees.roots.outputs.count);
    return { height, cutId: id, stateRoot, outputs };
  }

  #expectNext({ input, result, header }: CutCommit): Head {
    const head = this.#head;
    if (head === null) throw new Error('a cut cannot be committed before the genesis');
    const decoded = decodeCutHeader(header);
    const follows =
      input.height === head.height + 1 &&
      result.height === input.height &&
      decoded.height === BigInt(input.height) &&
      toHex(decoded.parentCutId) === head.cutId &&
      toHex(decoded.stateRoot) === result.stateRoot;
    if (!follows) throw new Error(`cut ${input.height} does not follow cut ${head.height}`);
    return this.#headOf(input.height, toHex(cutId(header)), result);
  }

  async #commit(
    result: Pick<CutResult, 'changes' | 'trees'>,
    head: Head,
    mayWait: boolean,
    writeRest: (batch: BatchBuilder) => Promise<Retention>,
  ): Promise<void> {
    if (this.#writing !== undefined) throw new Error('two cuts are being committed at once');
    this.#writing = this.#write(result, head, mayWait, writeRest);
    try {
      await this.#writing;
    } finally {
      this.#writing = undefined;
    }
    this.#keptCuts = mayWait ? this.#keptCuts + 1 : 0;
    if (mayWait) return;
    this.#parts.onCommit(head);
    this.#parts.compaction.follow(head.height, this.#retention);
  }

  #prunedFilled(batch: BatchBuilder, retention: Retention): Filled | undefined {
    const filled = this.#filled;
    return filled === undefined
      ? undefined
      : pruneFilled(batch, filled, retention, this.#parts.rule);
  }

  async #write(
    result: Pick<CutResult, 'changes' | 'trees'>,
    head: Head,
    mayWait: boolean,
    writeRest: (batch: BatchBuilder) => Promise<Retention>,
  ): Promise<void> {
    const { trees, state } = this.#parts;
    const writing = this.keyValues.batch({ mayWait });
    const batch = new BatchBuilder(writing, this.#packer);
    const cut = trees.pin(result.trees);
    const isDeferred = cut.roots === undefined;
    if (isDeferred && !mayWait) throw new Error('a cut that is deferred cannot be durable');
    try {
      for (const frozen of this.#frozen) frozen.keep(result.changes, cut.outputs);
      writeState(batch, result.changes);
      writeUnspent(batch, cut.outputs);
      if (!isDeferred) writeTrees(batch, trees.writes());
      const retention = await writeRest(batch);
      batch.putChecked(metaKey('retention'), packed(batch.packer, retentionCodec, retention));
      const filled = this.#prunedFilled(batch, retention);
      if (filled !== undefined && filled !== this.#filled)
        batch.putChecked(metaKey('filled'), packed(batch.packer, filledCodec, filled));
      const { compacted } = this.#parts.compaction;
      if (compacted !== this.#recordedCompacted)
        batch.putChecked(metaKey('compacted'), packed(batch.packer, compactedCodec, compacted));
      batch.putChecked(metaKey('head'), packed(batch.packer, headCodec, head));
      // From here on only the write may fail, and then it is the last one.
      const noted = isDeferred ? undefined : this.#parts.beforeWrite(head);
      if (noted !== undefined) await noted;
      const written = writing.write({ sync: true });
      // Records that wait are readable in the same turn, and so must be what follows from them.
      if (isDeferred) trees.accept(cut);
      else trees.written();
      await written;
      if (!isDeferred) trees.commit();
      state.follow(result.changes);
      this.#head = head;
      this.#retention = retention;
      this.pastIds.follow(head, retention.firstHeight);
      this.#filled = filled;
      this.#recordedCompacted = compacted;
    } finally {
      trees.release();
    }
  }
}
