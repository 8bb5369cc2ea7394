/**
 * Computes the root of a state that was written in bulk and makes it the store's head.
 */
import { SINGLE_KEY, stateRoot, totalsRoot } from 'svc-ledger';
import { hashLabel } from 'svc-wasm/protocol';
import { type Head, headCodec } from '../codec/meta-records.ts';
import { BatchBuilder } from '../commit/batch-builder.ts';
import type { KeyValueStore } from '../key-value/key-value-store.ts';
import { putMeta } from '../open/meta.ts';
import { loadState } from '../open/self-check.ts';

export async function sealState(
  store: KeyValueStore,
  cut: Pick<Head, 'height' | 'cutId'>,
): Promise<Head> {
  const { state, trees } = await loadState(store, null);
  const economy = state.get('economy', SINGLE_KEY);
  const epoch = state.get('epoch', SINGLE_KEY);
  if (economy === undefined || epoch === undefined) throw new Error('the state has no totals');
  const { roots } = trees;
  const root = stateRoot(hashLabel, roots, totalsRoot(hashLabel, state, economy, epoch));
  const head = { ...cut, stateRoot: root, outputs: Number(roots.outputs.count) };
  const batch = new BatchBuilder();
  putMeta(batch, 'head', headCodec, head);
  await store.write(batch.operations, { sync: true });
  return head;
}
