/**
 * Opens a store on any database: checks format, chain and mode, loads the trees, checks the root.
 */
import type { LedgerParameters } from 'svc-ledger';
import type { Head, StorageMode } from '../codec/meta-records.ts';
import { Compaction, type CompactionPace } from '../compaction/compaction.ts';
import { FatalStorageError, type StorageError, type StoreDamagedError } from '../errors.ts';
import { HistoryNodes, type NodeBytes } from '../history/history-nodes.ts';
import { memoryNodes } from '../history/node-bytes.ts';
import { PastIds } from '../history/past-ids.ts';
import { GatheringStore } from '../key-value/gathering-store.ts';
import { GuardedStore } from '../key-value/guarded-store.ts';
import type { KeyValueStore } from '../key-value/key-value-store.ts';
import { LedgerStore } from '../ledger-store.ts';
import { RETENTION, type RetentionRule } from '../retention.ts';
import type { TreeFiles } from '../tree-files/tree-files.ts';
import type { StateTrees } from '../trees/state-trees.ts';
import { checkTrees } from './check-trees.ts';
import { type Migrations, openMeta } from './meta.ts';
import { loadState } from './self-check.ts';

export interface StoreOptions {
  readonly chainId: string;
  readonly parameters: LedgerParameters;
  readonly mode: StorageMode;
  readonly migrations?: Migrations;
  /** Tests keep fewer cuts than the mode does, and compact in smaller pieces. */
  readonly rule?: RetentionRule;
  readonly compactionPace?: CompactionPace;
  /**
   * Called once the open store refuses everything because a read or a check has found that it is damaged. A write that fails
   * throws.
   */
  readonly onDamage?: (found: StorageError) => void;
}

export interface StoreHooks {
  readonly checkHead?: (head: Head | null) => void;
  readonly onCommit?: (head: Head) => void;
  /** Called with the trees if they are those of the head and this is durable. */
  readonly onClose?: (
    trees: StateTrees | undefined,
    head: Head | null,
  ) => Promise<void> | undefined;
  /** Where the nodes of the history are kept; in memory unless given. */
  readonly historyBytes?: NodeBytes;
  /** The caller reports durable cuts and the end to them. */
  readonly treeFiles?: TreeFiles;
  /** Describes the file that makes the engine fail, if it can be found. */
  readonly nameDamage?: () => string | undefined;
  /** Checks in the background what was not read yet; resolves with the damage that it found. */
  readonly checkFiles?: () => Promise<StoreDamagedError | undefined>;
}

export async function openStoreOn(
  keyValues: KeyValueStore,
  options: StoreOptions,
  hooks: StoreHooks = {},
): Promise<LedgerStore> {
  const { chainId, parameters, mode, migrations = new Map() } = options;
  const guarded = new GuardedStore(new GatheringStore(keyValues), hooks);
  const meta = await openMeta(guarded, chainId, mode, migrations);
  const { head, retention, compacted, filled } = meta;
  hooks.checkHead?.(head);
  const { treeFiles } = hooks;
  const { state, trees, areTreesRestored } = await loadState(guarded, head, {
    restoreTrees: (source, at) => treeFiles?.restore(source, at),
    onDamage: (damage) => {
      // Whether the bucket or the trees are wrong is found by a start that builds them.
      treeFiles?.giveUp();
      guarded.refuse(damage);
    },
  });
  treeFiles?.follow(trees, areTreesRestored);
  const nodes = new HistoryNodes(hooks.historyBytes ?? memoryNodes());
  const { firstHeight } = retention;
  const pastIds = new PastIds(nodes, guarded, { id: chainId, head, firstHeight });
  const closing = new AbortController();
  if (areTreesRestored)
    refuseWhenFound(guarded, checkTrees(trees, closing.signal), () => treeFiles?.giveUp());
  if (hooks.checkFiles !== undefined) refuseWhenFound(guarded, hooks.checkFiles());
  if (options.onDamage !== undefined) guarded.tellFailure(options.onDamage);
  return new LedgerStore({
    keyValues: guarded,
    parameters,
    chainId,
    head,
    retention,
    filled,
    rule: options.rule ?? RETENTION[mode],
    pastIds,
    compaction: new Compaction(guarded, compacted, options.compactionPace),
    state,
    trees,
    areTreesRestored,
    beforeWrite: (next) => treeFiles?.append(next),
    onCommit: hooks.onCommit ?? (() => {}),
    onClose: async (...end) => {
      closing.abort();
      await hooks.onClose?.(...end);
    },
  });
}

/** Makes the store refuse everything once a check in the background has found damage, or failed. */
function refuseWhenFound(
  guarded: GuardedStore,
  check: Promise<StoreDamagedError | undefined>,
  onDamage: () => void = () => {},
): void {
  check.then(
    (damage) => {
      if (damage === undefined) return;
      onDamage();
      guarded.refuse(damage);
    },
    (cause: unknown) => guarded.refuse(uncheckable(cause)),
  );
}

function uncheckable(cause: unknown): FatalStorageError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new FatalStorageError(
    `the database could not be checked (${reason}); look for trouble with the disk, then start again`,
    { cause },
  );
}
