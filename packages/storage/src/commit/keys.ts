/**
 * Keys of single records, for readers and deletions.
 */

import type { MetaName } from '../codec/meta-records.ts';
import { Packer } from '../codec/packer.ts';
import { LAYOUT, type StoreTable } from '../layout.ts';

/** A key whose only part is an identifier, address or outpoint. */
export function hexKey(table: StoreTable, ...parts: readonly string[]): Uint8Array {
  const hex = parts.join('');
  const key = Buffer.allocUnsafe(1 + (hex.length >> 1));
  key[0] = LAYOUT[table].prefix;
  key.write(hex, 1, 'hex');
  return key;
}

export function heightKey(table: StoreTable, height: number): Uint8Array {
  return new Packer().u8(LAYOUT[table].prefix).numberOrdered(height).finish();
}

export function metaKey(name: MetaName): Uint8Array {
  return Buffer.concat([Buffer.of(LAYOUT.meta.prefix), Buffer.from(name)]);
}

/** `address | height | index`, the parts of a history key after the prefix. */
export function historyKey(address: string, height: number, index: number): Uint8Array {
  const packer = new Packer().u8(LAYOUT.history.prefix).hex(address);
  return packer.numberOrdered(height).u32Ordered(index).finish();
}
