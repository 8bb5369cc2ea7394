/**
 * The state of a cut: its record changes, its tree buckets, and what follows from outputs that came or
 * went: lists of unspent outputs and balances. Balances come out of the tree of outputs, so that no old
 * balance has to be read.
 */
import type { Change } from 'svc-ledger';
import { balanceCodec } from '../codec/index-records.ts';
import { SOURCES } from '../codec/names.ts';
import { STATE_CODECS } from '../codec/state-records.ts';
import type { BucketTree } from '../tree/bucket-tree.ts';
import { prefixSubtree } from '../tree/prefix-subtree.ts';
import { keyOfLeaf } from '../trees/output-leaves.ts';
import type { StagedCut, TreeWrite } from '../trees/state-trees.ts';
import type { BatchBuilder } from './batch-builder.ts';

/** Bits of an output's key that its address decides. */
const ADDRESS_BITS = 256;

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

export function writeBuckets(batch: BatchBuilder, writes: readonly TreeWrite[]): void {
  for (const { tree, name, record } of writes) {
    batch.begin('buckets').u8(tree).raw(name);
    if (record === undefined) batch.endDelete();
    else {
      batch.endKey().raw(record);
      batch.endPut();
    }
  }
}

/** Outputs of one address are side by side but for chance; a balance that is written twice is the same. */
export function writeOutputs(batch: BatchBuilder, { outputs }: StagedCut, tree: BucketTree): void {
  let lastAddress = '';
  for (const { leaf, value, output, present } of outputs) {
    if (output.address !== lastAddress) writeBalance(batch, tree, output.address, leaf);
    lastAddress = output.address;
    batch.begin('unspent').raw(keyOfLeaf(leaf));
    if (present) {
      batch.endKey().raw(value).u8(SOURCES.indexOf(output.source)).number(output.height);
      batch.endPut();
    } else batch.endDelete();
  }
}

function writeBalance(
  batch: BatchBuilder,
  tree: BucketTree,
  address: string,
  leaf: Uint8Array,
): void {
  const { sum, count } = prefixSubtree(tree, leaf, ADDRESS_BITS);
  batch.begin('balances').hex(address);
  if (count === 0) batch.endDelete();
  else batch.endPack(balanceCodec, { amount: sum, outputs: count });
}
