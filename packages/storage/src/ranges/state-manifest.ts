/**
 * What there is of the state of one cut, so that it can be fetched in ranges from any peer: the subtrees that the state
 * trees are cut into, the bits at which neighbours part, the records of the totals, and length and hash of every range.
 * The trees and totals of a manifest lead to one state root; see `check-manifest.ts`.
 *
 * Bytes: magic, format u32, height u64, cut id; totals: count varint, then key and value counted each; for outputs,
 * positions, validators and keys: count varint, subtrees of 64 bytes, partings u16 between them; the number of ranges
 * that belong to no tree varint; length u32 and SHA-384 of each range, those of no tree first, then tree by tree.
 */
import { createHash } from 'node:crypto';
import type { TreeName } from 'svc-ledger';
import { Packer } from '../codec/packer.ts';
import { ID_BYTES } from '../codec/sizes.ts';
import { Unpacker } from '../codec/unpacker.ts';
import { StateRefusedError } from '../errors.ts';
import type { Entry } from '../key-value/key-value-store.ts';
import { FORMAT_VERSION } from '../layout.ts';
import { SUBTREE_BYTES } from '../tree/bucket.ts';
import { KEY_BITS } from '../tree/key-bits.ts';
import { TREE_NAMES } from '../trees/state-trees.ts';

const MAGIC = Buffer.from('SVCSTAT1');
const HASH_BYTES = 48;
const TOTALS_MAX = 64;

export const MANIFEST_BYTES_MAX: number = 16 << 20;
export const RANGES_MAX = 131_072;
/** The most bytes of one range. */
export const RANGE_BYTES_MAX: number = 4 << 20;

/** A tree as a row of subtrees, and the bit at which each parts from the next. */
export interface TreeRanges {
  readonly subtrees: readonly Uint8Array[];
  readonly partings: readonly number[];
}

export interface RangeContent {
  readonly length: number;
  readonly hash: Uint8Array;
}

export interface StateManifest {
  readonly height: number;
  readonly cutId: string;
  /** The records of the tables that the totals root is made of, as they are stored. */
  readonly totals: readonly Entry[];
  readonly trees: Readonly<Record<TreeName, TreeRanges>>;
  /** How many of the ranges, the first ones, belong to no tree. */
  readonly others: number;
  readonly ranges: readonly RangeContent[];
}

export function contentHash(bytes: Uint8Array): Uint8Array {
  return createHash('sha384').update(bytes).digest();
}

/** The name under which peers agree on a manifest. */
export function manifestId(bytes: Uint8Array): string {
  return Buffer.from(contentHash(bytes)).toString('hex');
}

export function encodeManifest(manifest: StateManifest): Uint8Array {
  const { height, cutId, totals, trees, others, ranges } = manifest;
  const packer = new Packer().raw(MAGIC).u32(FORMAT_VERSION).number(height).hex(cutId);
  packer.varint(totals.length);
  for (const [key, value] of totals) packer.counted(key).counted(value);
  for (const name of TREE_NAMES) {
    const { subtrees, partings } = trees[name];
    packer.varint(subtrees.length);
    for (const subtree of subtrees) packer.raw(subtree);
    for (const bit of partings) packer.u16(bit);
  }
  packer.varint(others);
  for (const { length, hash } of ranges) packer.u32(length).raw(hash);
  const bytes = packer.finish();
  if (bytes.length > MANIFEST_BYTES_MAX || ranges.length > RANGES_MAX)
    throw new StateRefusedError(`the state has ${ranges.length} ranges, more than one manifest`);
  return bytes;
}

/** Refuses bytes that are no manifest; what it says about a cut is checked by `expectManifest`. */
export function decodeManifest(bytes: Uint8Array): StateManifest {
  return asRefusal('the manifest', () => read(bytes));
}

/** Reads received records: any error in them is a refusal. */
export function asRefusal<T>(what: string, perform: () => T): T {
  try {
    return perform();
  } catch (cause) {
    if (cause instanceof StateRefusedError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StateRefusedError(`${what} is not sound: ${reason}`, { cause });
  }
}

function read(bytes: Uint8Array): StateManifest {
  if (bytes.length > MANIFEST_BYTES_MAX) throw refused(`${bytes.length} bytes are too many`);
  const unpacker = new Unpacker(bytes, 'a state');
  const isOurs = Buffer.from(unpacker.raw(MAGIC.length)).equals(MAGIC);
  if (!isOurs || unpacker.u32() !== FORMAT_VERSION) throw refused('its format is another');
  const height = unpacker.number();
  const cutId = unpacker.hex(ID_BYTES);
  const totals = Array.from(
    { length: limited(unpacker.varint(), TOTALS_MAX) },
    () => [unpacker.counted(), unpacker.counted()] as const,
  );
  const [outputs, positions, validators, keys] = TREE_NAMES.map(() => readTree(unpacker));
  const trees = { outputs, positions, validators, keys } as StateManifest['trees'];
  const inTrees = TREE_NAMES.reduce((sum, name) => sum + trees[name].subtrees.length, 0);
  const others = limited(unpacker.varint(), RANGES_MAX);
  const count = limited(others + inTrees, RANGES_MAX);
  const ranges = Array.from({ length: count }, () => ({
    length: limited(unpacker.u32(), RANGE_BYTES_MAX),
    hash: unpacker.raw(HASH_BYTES),
  }));
  unpacker.end();
  if (ranges.some(({ length }) => length === 0)) throw refused('a range is empty');
  return { height, cutId, totals, trees, others, ranges };
}

function readTree(unpacker: Unpacker): TreeRanges {
  const count = limited(unpacker.varint(), RANGES_MAX);
  const subtrees = Array.from({ length: count }, () => unpacker.raw(SUBTREE_BYTES));
  const partings = Array.from({ length: Math.max(0, count - 1) }, () =>
    limited(unpacker.u16(), KEY_BITS - 1),
  );
  return { subtrees, partings };
}

function limited(value: number, max: number): number {
  if (value <= max) return value;
  throw refused(`${value} is more than ${max}`);
}

function refused(reason: string): StateRefusedError {
  return new StateRefusedError(`the manifest is not sound: ${reason}`);
}
