/**
 * Checks signatures of validators. The same keys sign cut after cut, so those of the sets used last
 * are kept expanded in the kernel, which makes a check four times as fast.
 */
import { toHex } from '../base/bytes.ts';
import type { Context } from '../base/labels.ts';
import { contextBytes } from '../base/labels.ts';
import { ExpandedKey, slotTable } from '../kernel/expanded-key.ts';
import type { KernelInstance } from '../kernel/instance.ts';
import { mlDsa65 } from '../kernel/ml-dsa.ts';
import type { ValidatorSet } from './validator-set.ts';

const SETS_KEPT = 4;

type ExpandedKeys = Map<number, ExpandedKey>;

/**
 * Expanded keys by set id, so that a set that is decoded again finds its keys. The set used longest ago comes first.
 */
const setsKept = new Map<string, ExpandedKeys>();
const keysOfSet = new WeakMap<ValidatorSet, ExpandedKeys>();

function findKeys(id: string): ExpandedKeys {
  const keys: ExpandedKeys = setsKept.get(id) ?? new Map();
  setsKept.delete(id);
  setsKept.set(id, keys);
  const [oldest] = setsKept.keys();
  if (setsKept.size > SETS_KEPT && oldest !== undefined) setsKept.delete(oldest);
  return keys;
}

function keysOf(set: ValidatorSet): ExpandedKeys {
  let keys = keysOfSet.get(set);
  if (keys === undefined) {
    keys = findKeys(toHex(set.id));
    keysOfSet.set(set, keys);
  }
  return keys;
}

function keyOf(set: ValidatorSet, keys: ExpandedKeys, index: number): ExpandedKey | undefined {
  const validator = set.validators[index];
  if (validator === undefined) return undefined;
  const key = keys.get(index) ?? new ExpandedKey(validator.publicKey);
  keys.set(index, key);
  return key;
}

/** Whether the validator with this index in the set made the signature. */
export function verifyByValidator(
  set: ValidatorSet,
  index: number,
  message: Uint8Array,
  context: Context,
  signature: Uint8Array,
): boolean {
  const key = keyOf(set, keysOf(set), index);
  if (key === undefined) return false;
  return mlDsa65.verify(key, message, signature, { context: contextBytes(context) });
}

/**
 * The addresses of the members' expanded keys in the kernel, 0 where it has no room. Expanding uses the kernel's
 * input, so arguments are written afterwards.
 */
export function expandedKeysOf(
  instance: KernelInstance,
  set: ValidatorSet,
  indexes: readonly number[],
): number[] {
  const keys = keysOf(set);
  const known = indexes.flatMap((index) => keyOf(set, keys, index) ?? []);
  return slotTable(instance).addressesOf(known);
}
