/**
 * Keys of the state's tables in the store. The ledger's keys are hexadecimal, so they are their bytes
 * behind the table's prefix.
 */
import type { Table } from 'svc-ledger';
import { STATE_LAYOUT } from '../layout.ts';

export function stateKey(table: Table, key: string): Uint8Array {
  const bytes = key.length >> 1;
  const stored = Buffer.allocUnsafe(1 + bytes);
  stored[0] = STATE_LAYOUT[table].prefix;
  stored.write(key, 1, bytes, 'hex');
  return stored;
}
