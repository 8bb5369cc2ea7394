/**
 * Deletes what a storage mode no longer keeps, a few cuts at a time, in the batch of the cut that makes it
 * old. Keys of old records are found through the pages of their cut.
 */

import { toHex } from 'svc-wasm/base';
import { decodeCutBody } from 'svc-wasm/protocol';
import { expectChecksum } from '../codec/checksum.ts';
import { unpacked } from '../codec/codec.ts';
import { changesCodec, outcomesCodec, statusCodec } from '../codec/index-records.ts';
import type { Filled, Retention } from '../codec/meta-records.ts';
import type { KeyValueReader } from '../key-value/key-value-store.ts';
import { rangeOf, type StoreTable } from '../layout.ts';
import {
  CERTIFICATE_CUTS,
  type CheckpointRules,
  isCheckpoint,
  RETENTION,
  type RetentionRule,
} from '../retention.ts';
import type { BatchBuilder } from './batch-builder.ts';
import { heightKey, hexKey, historyKey } from './keys.ts';

/** Old cuts that one commit clears: more than one, so that a store that changes mode catches up. */
const CUTS_PER_COMMIT = 4;

/** Thins certificates: what leaves the last cuts goes, unless it is a checkpoint. */
export function thinCertificates(
  batch: BatchBuilder,
  height: number,
  rules: CheckpointRules,
): void {
  const old = height - CERTIFICATE_CUTS;
  if (old < 1 || isCheckpoint(old, rules)) return;
  batch.delete(heightKey('certificates', old));
}

/** Deletes old records and returns what is then kept. */
export async function prune(
  batch: BatchBuilder,
  reader: KeyValueReader,
  height: number,
  retention: Retention,
  rule: RetentionRule = RETENTION[retention.mode],
): Promise<Retention> {
  let { indexedFrom, blocksFrom } = retention;
  for (let i = 0; i < CUTS_PER_COMMIT && blocksFrom <= height - rule.blockCuts; i++) {
    deleteBlocks(batch, await blockIdsOf(reader, blocksFrom++));
  }
  for (let i = 0; i < CUTS_PER_COMMIT && indexedFrom <= height - rule.indexedCuts; i++) {
    await deleteIndexes(batch, reader, indexedFrom++);
  }
  return { ...retention, indexedFrom, blocksFrom };
}

/** Deletes bodies that were filled in before a store began to be pruned, after their blocks; returns what is then kept. */
export function pruneFilled(
  batch: BatchBuilder,
  filled: Filled,
  { indexedFrom, blocksFrom }: Retention,
  { indexedCuts }: RetentionRule,
): Filled {
  const end = Math.min(indexedFrom, blocksFrom, filled.bodiesFrom + CUTS_PER_COMMIT);
  if (indexedCuts === Number.POSITIVE_INFINITY || end <= filled.bodiesFrom) return filled;
  for (let height = filled.bodiesFrom; height < end; height++)
    batch.delete(heightKey('cutBodies', height));
  return { ...filled, bodiesFrom: end };
}

async function blockIdsOf(reader: KeyValueReader, height: number): Promise<string[]> {
  const key = heightKey('cutBodies', height);
  const record = reader.getSync(key);
  if (record === undefined) return [];
  return decodeCutBody(expectChecksum(key, record, 'cutBodies')).blockIds.map((id) => toHex(id));
}

function deleteBlocks(batch: BatchBuilder, ids: readonly string[]): void {
  for (const id of ids) {
    batch.delete(hexKey('blockHeaders', id));
    batch.delete(hexKey('blockBodies', id));
  }
}

async function deleteIndexes(
  batch: BatchBuilder,
  reader: KeyValueReader,
  height: number,
): Promise<void> {
  for (const id of await blockIdsOf(reader, height)) batch.delete(hexKey('work', id));
  let index = 0;
  for (const [key, value] of await pagesOf(reader, 'changes', height)) {
    for (const { address } of unpacked(changesCodec, value, 'changes')) {
      batch.delete(historyKey(address, height, index++));
    }
    batch.delete(key);
  }
  for (const [key, value] of await pagesOf(reader, 'cutTransactions', height)) {
    for (const { transactionId } of unpacked(outcomesCodec, value, 'cutTransactions')) {
      deleteStatus(batch, reader, transactionId, height);
    }
    batch.delete(key);
  }
  batch.delete(heightKey('events', height));
  batch.delete(heightKey('cutBodies', height));
}

/** A later cut may have changed the status of the transaction. */
function deleteStatus(
  batch: BatchBuilder,
  reader: KeyValueReader,
  transactionId: string,
  height: number,
): void {
  const key = hexKey('statuses', transactionId);
  const record = reader.getSync(key);
  if (record === undefined || unpacked(statusCodec, record, 'statuses').height !== height) return;
  batch.delete(key);
}

function pagesOf(reader: KeyValueReader, table: StoreTable, height: number) {
  const range = rangeOf(table, heightKey(table, height).subarray(1));
  return reader.range({ ...range, limit: Number.MAX_SAFE_INTEGER });
}
