/**
 * Which tables' records get their checksum from `ChecksummedStore`, by the first byte of a key. Buckets are checked by their tree.
 */
import { LAYOUT, type StoreTable } from '../layout.ts';

interface ChecksummedTable {
  readonly name: StoreTable;
  /** Whether `ChecksummedStore` adds and removes the checksum; else it belongs to the record. */
  readonly isAdded: boolean;
}

export const TABLES: readonly (ChecksummedTable | undefined)[] = tablesByPrefix();

function tablesByPrefix(): (ChecksummedTable | undefined)[] {
  const tables: (ChecksummedTable | undefined)[] = [];
  for (const [name, { prefix, checked }] of Object.entries(LAYOUT)) {
    if (name !== 'buckets') tables[prefix] = { name: name as StoreTable, isAdded: !checked };
  }
  return tables;
}
