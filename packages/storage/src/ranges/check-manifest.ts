/**
 * What a node accepts of a state that a peer sends: a manifest whose trees and totals have the root that the
 * header of a certified cut names, and ranges whose records are the leaves of the subtrees in it. Pure: the same for every
 * sender, and nothing is kept.
 *
 * Attendance, source and height of outputs, and the tables outside trees and totals are committed by no root; of them a
 * range must only have the bytes that the manifest names, and peers must agree on the manifest.
 */
import {
  bytesOf,
  type EconomyRecord,
  type EpochRecord,
  numberKey,
  SINGLE_KEY,
  type StateView,
  stateRoot,
  type Table,
  type Tables,
  type TreeName,
  totalsRoot,
} from 'svc-ledger';
import { equalBytes, toHex } from 'svc-wasm/base';
import {
  cutId,
  decodeCutHeader,
  decodeSubtree,
  decodeValidatorSet,
  encodeValidatorSet,
  hashLabel,
} from 'svc-wasm/protocol';
import { unpacked } from '../codec/codec.ts';
import { STATE_CODECS } from '../codec/state-records.ts';
import { StateRefusedError } from '../errors.ts';
import type { Entry } from '../key-value/key-value-store.ts';
import { LAYOUT } from '../layout.ts';
import { TREE_NAMES } from '../trees/state-trees.ts';
import { decodeRecords, expectOther, leavesOfRange, TOTALS_TABLES } from './range-records.ts';
import { rootOfRanges, subtreeOfLeaves } from './range-tree.ts';
import { asRefusal, contentHash, type RangeContent, type StateManifest } from './state-manifest.ts';

/** Refuses a manifest that is not of the state after the cut with this header. */
export function expectManifest(manifest: StateManifest, header: Uint8Array): void {
  const fields = decodeCutHeader(header);
  const isOfCut =
    fields.height === BigInt(manifest.height) && toHex(cutId(header)) === manifest.cutId;
  if (!isOfCut) throw new StateRefusedError('the manifest is of another cut');
  asRefusal('the manifest', () => {
    const totals = new TotalsView(manifest.totals);
    const { economy, epoch } = totals;
    if (BigInt(economy.timeMillis) !== fields.time || economy.height !== manifest.height)
      throw new StateRefusedError('the totals are of another cut');
    if (setIdOf(epoch) !== epoch.validatorSetId)
      throw new StateRefusedError('the committee is not the set that the totals name');
    const root = (name: TreeName) => decodeSubtree(rootOfRanges(manifest.trees[name]));
    const roots = {
      outputs: root('outputs'),
      positions: root('positions'),
      validators: root('validators'),
      keys: root('keys'),
    };
    const found = stateRoot(hashLabel, roots, totalsRoot(hashLabel, totals, economy, epoch));
    if (found !== toHex(fields.stateRoot))
      throw new StateRefusedError('the manifest has another state root than its cut');
  });
}

function setIdOf({ members }: EpochRecord): string {
  const set = encodeValidatorSet(
    members.map(({ validatorId, publicKey, stake }) => ({
      id: bytesOf(validatorId),
      publicKey,
      stake,
    })),
  );
  return toHex(decodeValidatorSet(set).id);
}

/** Refuses bytes that are not the range of a checked manifest. */
export function expectRange(manifest: StateManifest, index: number, bytes: Uint8Array): void {
  const content = manifest.ranges[index];
  if (content === undefined) throw new StateRefusedError(`there is no range ${index}`);
  if (!hasContent(content, bytes))
    throw new StateRefusedError(`range ${index} is not what the manifest names`);
  asRefusal(`range ${index}`, () => {
    const entries = decodeRecords(bytes);
    const place = treeOfRange(manifest, index);
    if (place === undefined) {
      for (const entry of entries) expectOther(entry);
      return;
    }
    const { tree, subtree } = place;
    const found = subtreeOfLeaves(leavesOfRange(tree, entries));
    if (!equalBytes(found, subtree))
      throw new StateRefusedError(`range ${index} is not part of the tree of ${tree}`);
  });
}

export function hasContent({ length, hash }: RangeContent, bytes: Uint8Array): boolean {
  return bytes.length === length && equalBytes(contentHash(bytes), hash);
}

/** The tree that a range belongs to, and its subtree in it; undefined for a range of no tree. */
export function treeOfRange(
  { trees, others }: StateManifest,
  index: number,
): { readonly tree: TreeName; readonly subtree: Uint8Array } | undefined {
  let at = index - others;
  if (at < 0) return undefined;
  for (const tree of TREE_NAMES) {
    const subtree = trees[tree].subtrees[at];
    if (subtree !== undefined) return { tree, subtree };
    at -= trees[tree].subtrees.length;
  }
  return undefined;
}

/** Shows the records of the totals, and nothing else. */
class TotalsView implements StateView {
  readonly economy: EconomyRecord;
  readonly epoch: EpochRecord;
  readonly #records = new Map<string, Uint8Array>();

  constructor(entries: readonly Entry[]) {
    for (const [key, value] of entries) {
      const table = TOTALS_TABLES.find((name) => LAYOUT[name].prefix === key[0]);
      const name = `${table}/${toHex(key.subarray(1))}`;
      if (table === undefined || this.#records.has(name))
        throw new StateRefusedError('the manifest has a record that belongs elsewhere');
      this.#records.set(name, value);
    }
    const economy = this.get('economy', SINGLE_KEY);
    const epoch = this.get('epoch', SINGLE_KEY);
    if (economy === undefined || epoch === undefined)
      throw new StateRefusedError('the manifest has no totals');
    this.economy = economy;
    this.epoch = epoch;
    const { openPool } = economy;
    if (openPool !== null && this.get('pools', numberKey(openPool)) === undefined)
      throw new StateRefusedError('the manifest lacks the pool that is being paid');
  }

  get<T extends Table>(table: T, key: string): Tables[T] | undefined {
    const value = this.#records.get(`${table}/${key}`);
    return value === undefined ? undefined : unpacked(STATE_CODECS[table], value, table);
  }

  positionIdsOf(): [] {
    return [];
  }

  validatorIds(): [] {
    return [];
  }

  blockIdsOf(): [] {
    return [];
  }
}
