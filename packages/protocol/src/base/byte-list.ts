/**
 * Lists that a caller hands over as an array. They are copied, and each item is
 * checked, before anything else looks at them.
 */
import { expectBytes } from './bytes.ts';
import { isArray, kindOf } from './kind-of.ts';
import { SvcError } from './svc-error.ts';

const ITEMS_MAX = 256;

/** The items of an array of `Uint8Array`s, in an array of our own. */
export function expectByteList(value: unknown, path: string): Uint8Array[] {
  return expectList(value, path).map((item, i) => expectBytes(item, `${path}[${i}]`));
}

/** The items of an array, whatever they are, in an array of our own. */
export function expectList(value: unknown, path: string): unknown[] {
  if (!isArray(value)) {
    throw new SvcError('bad_type', `expected an array, found ${kindOf(value)}`, { path });
  }
  return copyItems(value, path);
}

function copyItems(list: readonly unknown[], path: string): unknown[] {
  let found: number;
  try {
    found = list.length;
    if (found <= ITEMS_MAX) return Array.from(list);
  } catch (cause) {
    throw new SvcError('bad_type', 'expected an array that can be read', { path, cause });
  }
  throw new SvcError('bad_length', `expected at most ${ITEMS_MAX} items, found ${found}`, { path });
}
