/**
 * Checks signatures of validators. The same keys sign cut after cut, so those of the sets used last
 * are kept expanded in the kernel, which makes a check four times as fast.
 */
import { toHex } from '../base/bytes.ts';
import type { Context } from '../base/labels.ts';
import { contextBytes } from '../base/labels.ts';
import type { ExpandedKey } from '../kernel/expanded-key.ts';
import { mlDsa65 } from '../kernel/ml-dsa.ts';
import type { ValidatorSet } from './validator-set.ts';

const SETS_KEPT = 4;

type ExpandedKeys = Map<number, ExpandedKey>;

/** By set id, so that a set decoded anew finds its keys; the one used longest ago is the first. */
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

/** Whether the validator with this index in the set made the signature. */
export function verifyByValidator(
  set: ValidatorSet,
  index: number,
  message: Uint8Array,
  context: Context,
  signature: Uint8Array,
): boolean {
  const validator = set.validators[index];
  if (validator === undefined) return false;
  const keys = keysOf(set);
  const key = keys.get(index) ?? mlDsa65.expand(validator.publicKey);
  keys.set(index, key);
  return mlDsa65.verify(key, message, signature, { context: contextBytes(context) });
}
