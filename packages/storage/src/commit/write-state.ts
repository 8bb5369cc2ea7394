/**
 * The state of a cut: its record changes, its lists of unspent outputs, and what follows for trees: buckets and balances.
 */
import type { Change } from 'svc-ledger';
import { balanceCodec } from '../codec/index-records.ts';
import { SOURCES } from '../codec/names.ts';
import { STATE_CODECS } from '../codec/state-records.ts';
import { keyOfLeaf, type OutputLeaf } from '../trees/output-leaves.ts';
import type { TreeWrites } from '../trees/unwritten-trees.ts';
import type { BatchBuilder } from './batch-builder.ts';

export function writeState(batch: BatchBuilder, changes: readonly Change[]): void {
  for (const { table, key, before, after } of changes) {
    batch.begin(table).hex(key);
    if (after === undefined) batch.endDelete();
    else batch.endPack(STATE_CODECS[table], after);
    if (table !== 'positions') continue;
    const owner = (after ?? before)?.ownerAddress ?? '';
    const owned = batch.key('ownedPositions').hex(owner).hex(key).finish();
    if (after === undefined) batch.delete(owned);
    else batch.put(owned, new Uint8Array(0));
  }
}

export function writeTrees(batch: BatchBuilder, { buckets, balances }: TreeWrites): void {
  for (const { tree, name, record } of buckets) {
    batch.begin('buckets').u8(tree).raw(name);
    if (record === undefined) batch.endDelete();
    else {
      batch.endKey().raw(record);
      batch.endPut();
    }
  }
  for (const balance of balances) {
    batch.begin('balances').hex(balance.address);
    if (balance.outputs === 0) batch.endDelete();
    else batch.endPack(balanceCodec, balance);
  }
}

export function writeUnspent(batch: BatchBuilder, outputs: readonly OutputLeaf[]): void {
  for (const { leaf, value, output, present } of outputs) {
    batch.begin('unspent').raw(keyOfLeaf(leaf));
    if (present) {
      batch.endKey().raw(value).u8(SOURCES.indexOf(output.source)).number(output.height);
      batch.endPut();
    } else batch.endDelete();
  }
}
