/**
 * Proofs about the committed state, for clients that trust its root: that an output is there, that a list of
 * an address's outputs is complete, and what the totals are. `docs/protocol.md` 9.3.
 */
import { type Outpoint, outpointKey, outputValue, subtreeBytes } from 'svc-ledger';
import { fromHex, LABELS } from 'svc-wasm/base';
import {
  decodeOutputValue,
  encodeCompletenessProof,
  encodeOutputProof,
  encodeTotalsProof,
  hashLabel,
  hashOutputs,
  type OtherRoots,
  type StateOutput,
} from 'svc-wasm/protocol';
import { unpacked } from '../codec/codec.ts';
import { STATE_CODECS } from '../codec/state-records.ts';
import type { KeyValueReader } from '../key-value/key-value-store.ts';
import { rangeOf } from '../layout.ts';
import type { LedgerStore } from '../ledger-store.ts';
import { addressHalf } from '../reader/address-reader.ts';
import { stateKey } from '../state/state-keys.ts';
import { leafAt } from '../tree/bucket.ts';
import { KEY_BYTES } from '../tree/key-bits.ts';
import { prefixSubtree } from '../tree/prefix-subtree.ts';
import { type FoundLeaves, pathToLeaf, pathToPrefix } from '../tree/tree-path.ts';

const VALUE_BYTES = 109;
const ADDRESS_BITS = 256;
/** A list that is proven complete is read at once; `docs/protocol.md` 9.3 bounds it. */
export const COMPLETE_OUTPUTS_MAX = 4_096;

function otherRoots(store: LedgerStore): OtherRoots {
  const { positions, validators, keys } = store.trees.roots;
  return {
    positions: subtreeBytes(positions),
    validators: subtreeBytes(validators),
    keys: subtreeBytes(keys),
    totalsRoot: hashLabel(LABELS.totals, store.totals()),
  };
}

/** The proof that an output is in the state of the head; undefined if it is not. */
export async function proveOutput(
  store: LedgerStore,
  outpoint: Outpoint,
): Promise<Uint8Array | undefined> {
  await store.readTreesAhead();
  while (store.isCommitting) await store.settled();
  const tree = store.trees.committed('outputs');
  const key = outpointKey(outpoint);
  const record = store.keyValues.getSync(stateKey('outputs', key));
  if (record === undefined) return undefined;
  const value = outputValue(key, unpacked(STATE_CODECS.outputs, record, 'outputs'));
  const found = pathToLeaf(tree, hashOutputs(value).subarray(0, KEY_BYTES));
  if (found === undefined) throw new Error('an output of the state is not in its tree');
  const output = decodeOutputValue(value);
  return encodeOutputProof({ output, path: found.path, roots: otherRoots(store) });
}

/**
 * The proof that the address has these outputs and no other; undefined if it has more than a proof may
 * list.
 */
export async function proveAddress(
  store: LedgerStore,
  address: string,
): Promise<Uint8Array | undefined> {
  await store.readTreesAhead();
  while (store.isCommitting) await store.settled();
  const key = new Uint8Array(KEY_BYTES);
  key.set(addressHalf(address));
  const tree = store.trees.committed('outputs');
  const { count } = prefixSubtree(tree, key, ADDRESS_BITS);
  const found = count > 0 ? pathToPrefix(tree, key, ADDRESS_BITS) : pathToLeaf(tree, key);
  const roots = otherRoots(store);
  if (count > COMPLETE_OUTPUTS_MAX) return undefined;
  // The reads begin in the turn that found the path, so that they are of the same cut.
  const [outputs, neighbour] = await Promise.all([
    count > 0 ? outputsOf(store.keyValues, key) : [],
    count > 0 ? undefined : neighbourOf(store.keyValues, found),
  ]);
  const path = found?.path ?? [];
  return encodeCompletenessProof({ address: fromHex(address), outputs, neighbour, path, roots });
}

/** The proof of the totals of the head: of all that was minted, and of where it is. */
export async function proveTotals(store: LedgerStore): Promise<Uint8Array> {
  await store.readTreesAhead();
  while (store.isCommitting) await store.settled();
  const { outputs, positions, validators, keys } = store.trees.roots;
  return encodeTotalsProof({
    outputs: subtreeBytes(outputs),
    positions: subtreeBytes(positions),
    validators: subtreeBytes(validators),
    keys: subtreeBytes(keys),
    totals: store.totals(),
  });
}

async function outputsOf(reader: KeyValueReader, key: Uint8Array): Promise<StateOutput[]> {
  const range = rangeOf('unspent', key.subarray(0, ADDRESS_BITS / 8));
  const entries = await reader.range({ ...range, limit: COMPLETE_OUTPUTS_MAX });
  return entries.map(([, value]) => decodeOutputValue(value.slice(0, VALUE_BYTES)));
}

/** The leaf where a search for an address without outputs ends. */
async function neighbourOf(
  reader: KeyValueReader,
  found: FoundLeaves | undefined,
): Promise<StateOutput | undefined> {
  if (found === undefined) return undefined;
  const at = leafAt(found.start);
  const { from } = rangeOf('unspent', found.record.subarray(at, at + KEY_BYTES));
  const [value] = await reader.getMany([from]);
  if (value === undefined) throw new Error('a leaf of the tree has no output');
  return decodeOutputValue(value.slice(0, VALUE_BYTES));
}
