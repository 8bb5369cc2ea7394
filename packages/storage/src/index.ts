/**
 * svc-storage: the embedded store. State, chain, indexes and snapshots, one atomic commit for each cut.
 */

export { scrubBodies } from './bodies/scrub-bodies.ts';
export {
  type ChainReader,
  type ChangeRow,
  type CutRow,
  type HistoryPosition,
  type HistoryRequest,
  type HistoryRow,
  type OutcomeRow,
  PAGE_LIMITS,
  type Page,
  type PageRequest,
  type PositionRow,
  type UtxoPosition,
  type WorkRow,
} from './chain-reader.ts';
export type { CutSummary } from './codec/event-records.ts';
export type {
  AddressEntry,
  Balance,
  StatusRecord,
  UnspentRecord,
  WorkRecord,
  WorkReward,
} from './codec/index-records.ts';
export type { Filled, Head, Retention, StorageMode } from './codec/meta-records.ts';
export type { BlockBytes, CutCommit } from './commit/cut-commit.ts';
export type { CutLink, PastCut } from './commit/write-past.ts';
export {
  FatalStorageError,
  STORAGE_ERROR_CODES,
  StateRefusedError,
  StorageError,
  type StorageErrorCode,
  StoreDamagedError,
  StoreFormatError,
  StoreLockedError,
  StoreMovedError,
  StoreUnavailableError,
} from './errors.ts';
export type { MissingIds, PastIds } from './history/past-ids.ts';
export { ChecksummedStore } from './key-value/checksummed-store.ts';
export type {
  Entry,
  KeyRange,
  KeyValueReader,
  KeyValueStore,
  RangeOptions,
  WriteBatch,
  WriteOperation,
} from './key-value/key-value-store.ts';
export { LevelStore, readTablesUnmapped } from './key-value/level-store.ts';
export { MemoryStore } from './key-value/memory-store.ts';
export { FORMAT_VERSION, LAYOUT, type StoreTable, type TableLayout } from './layout.ts';
export { type CommitOptions, LedgerStore } from './ledger-store.ts';
export { CHAIN_CONTENTS, type Contents, POOL_CONTENTS } from './open/contents.ts';
export { isUnreadable, readWhole } from './open/failing-reads.ts';
export type { Migration, Migrations } from './open/meta.ts';
export { openPoolDatabase } from './open/open-pool.ts';
export { type DirectoryOptions, openStore } from './open/open-store.ts';
export { openStoreOn, type StoreOptions } from './open/open-store-on.ts';
export { type ScrubOptions, scrubTables } from './open/scrub.ts';
export { proveAddress, proveOutput, proveTotals } from './proofs/output-proofs.ts';
export { type ReaderSource, readAtHead, repeatWhenMoved } from './reader/read-at-head.ts';
export { type ReindexOptions, readStoredCut, reindex, type StoredCut } from './reindex.ts';
export type { ChainSource, Fetched } from './repair/fetch-chain.ts';
export {
  findDamage,
  type RepairedStore,
  type RepairOptions,
  repairStore,
  withStoredChain,
} from './repair/repair-store.ts';
export { exportSnapshot } from './snapshot/export-snapshot.ts';
export { importSnapshot } from './snapshot/import-snapshot.ts';
export { expectWholeSnapshot, type SnapshotHead } from './snapshot/snapshot-format.ts';
