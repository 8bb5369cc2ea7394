/**
 * What a cut adds to the readers' tables: histories, changes, outcomes, statuses, work, events.
 */
import {
  type BlockReward,
  type HistoryEntry,
  statusOfOutcome,
  type TransactionOutcome,
} from 'svc-ledger';
import { unpacked } from '../codec/codec.ts';
import { summaryCodec } from '../codec/event-records.ts';
import {
  addressEntryCodec,
  keyHeightCodec,
  outcomesCodec,
  statusCodec,
  workCodec,
} from '../codec/index-records.ts';
import { Packer } from '../codec/packer.ts';
import type { KeyValueReader } from '../key-value/key-value-store.ts';
import type { StoreTable } from '../layout.ts';
import type { BatchBuilder } from './batch-builder.ts';
import type { CutCommit } from './cut-commit.ts';
import { hexKey } from './keys.ts';

/** Entries in one record of `changes`, and outcomes in one of `cutTransactions`. */
export const CHANGES_PER_RECORD = 128;
export const OUTCOMES_PER_RECORD = 64;

/** A page of changes is made of the entries' own bytes: `changesCodec` reads them. */
export function writeHistory(
  batch: BatchBuilder,
  height: number,
  history: readonly HistoryEntry[],
): void {
  const page = new Packer();
  for (let first = 0; first < history.length; first += CHANGES_PER_RECORD) {
    const end = Math.min(history.length, first + CHANGES_PER_RECORD);
    for (let index = first; index < end; index++) {
      const entry = history[index] as HistoryEntry;
      const addressAt = page.begun;
      const entryAt = page.hex(entry.address).begun;
      addressEntryCodec.pack(page, entry);
      const key = batch.begin('history').part(page, addressAt, entryAt);
      key.numberOrdered(height).u32Ordered(index);
      batch.endKey().part(page, entryAt, page.begun);
      batch.endPut();
    }
    batch.begin('changes').numberOrdered(height).u32Ordered(first);
    batch.endKey().raw(page.finish());
    batch.endPut();
  }
}

export function writeOutcomes(
  batch: BatchBuilder,
  reader: KeyValueReader,
  height: number,
  outcomes: readonly TransactionOutcome[],
): void {
  outcomes.forEach((outcome, index) => {
    if (!changesStatus(reader, outcome)) return;
    batch.begin('statuses').hex(outcome.transactionId);
    batch.endPack(statusCodec, { outcome, height, index });
  });
  for (let first = 0; first < outcomes.length; first += OUTCOMES_PER_RECORD) {
    const page = outcomes.slice(first, first + OUTCOMES_PER_RECORD);
    batch.pack(pageKey(batch, 'cutTransactions', height, first), outcomesCodec, page);
  }
}

/** A first final status stays. A transaction is executed once, so only others need to be looked up. */
function changesStatus(
  reader: KeyValueReader,
  { kind, transactionId }: TransactionOutcome,
): boolean {
  if (kind === 'finalized') return true;
  if (statusOfOutcome(kind) === null) return false;
  const known = reader.getSync(hexKey('statuses', transactionId));
  if (known === undefined) return true;
  const { outcome } = unpacked(statusCodec, known, 'statuses');
  return statusOfOutcome(outcome.kind)?.final !== true;
}

export function writeWork(batch: BatchBuilder, { input, result }: CutCommit): void {
  for (const { id, anchorHeight, payoutAddress } of input.registered) {
    const work = { anchorHeight, registeredHeight: input.height, payoutAddress, reward: null };
    batch.pack(batch.key('work').hex(id).finish(), workCodec, work);
  }
  const registeredHeights = new Map<string, number>();
  for (const { table, key, before, after } of result.changes) {
    if (table !== 'blocks' || before === undefined || after !== undefined) continue;
    registeredHeights.set(key.slice(-96), before.registeredHeight);
  }
  for (const reward of result.events.rewards) writeReward(batch, reward, registeredHeights);
}

function writeReward(
  batch: BatchBuilder,
  reward: BlockReward,
  registeredHeights: ReadonlyMap<string, number>,
): void {
  const { blockId, anchorHeight, payoutAddress } = reward;
  const registeredHeight = registeredHeights.get(blockId);
  if (registeredHeight === undefined) throw new Error(`block ${blockId} was paid but never left`);
  const work = { anchorHeight, registeredHeight, payoutAddress, reward };
  batch.pack(batch.key('work').hex(blockId).finish(), workCodec, work);
}

export function writeKeyHeights(batch: BatchBuilder, { input, result }: CutCommit): void {
  for (const { keyHash } of result.events.keys)
    batch.pack(batch.key('keyHeights').hex(keyHash).finish(), keyHeightCodec, input.height);
}

export function writeSummary(batch: BatchBuilder, { input, result }: CutCommit): void {
  const { rewards, stakePayouts, burns, keys, validators, outcomes, history } = result.events;
  const key = batch.key('events').numberOrdered(input.height).finish();
  batch.pack(key, summaryCodec, {
    registeredWork: input.registered.length,
    executedWork: input.executed.length,
    transactions: outcomes.length,
    changes: history.length,
    rewards,
    stakePayouts,
    burns,
    keys,
    validators,
  });
}

function pageKey(
  batch: BatchBuilder,
  table: StoreTable,
  height: number,
  first: number,
): Uint8Array {
  return batch.key(table).numberOrdered(height).u32Ordered(first).finish();
}
