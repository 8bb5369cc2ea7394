/**
 * Opens a store on any database: checks format, chain and mode, loads the trees, checks the root.
 */
import type { LedgerParameters } from 'svc-ledger';
import type { Head, StorageMode } from '../codec/meta-records.ts';
import { GuardedStore } from '../key-value/guarded-store.ts';
import type { KeyValueStore } from '../key-value/key-value-store.ts';
import { LedgerStore } from '../ledger-store.ts';
import { type Migrations, openMeta } from './meta.ts';
import { loadState } from './self-check.ts';

export interface StoreOptions {
  readonly chainId: string;
  readonly parameters: LedgerParameters;
  readonly mode: StorageMode;
  readonly migrations?: Migrations;
}

export interface StoreHooks {
  readonly checkHead?: (head: Head | null) => void;
  readonly onCommit?: (head: Head) => void;
  readonly onClose?: () => Promise<void>;
}

export async function openStoreOn(
  keyValues: KeyValueStore,
  options: StoreOptions,
  hooks: StoreHooks = {},
): Promise<LedgerStore> {
  const { chainId, parameters, mode, migrations = new Map() } = options;
  const guarded = new GuardedStore(keyValues);
  const { head, retention } = await openMeta(guarded, chainId, mode, migrations);
  hooks.checkHead?.(head);
  const { state, trees } = await loadState(guarded, head);
  return new LedgerStore({
    keyValues: guarded,
    parameters,
    chainId,
    head,
    retention,
    state,
    trees,
    onCommit: hooks.onCommit ?? (() => {}),
    onClose: hooks.onClose ?? (async () => {}),
  });
}
