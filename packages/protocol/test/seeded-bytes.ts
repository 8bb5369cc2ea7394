/**
 * Bytes that look random and are the same on every run.
 */
import { createHash } from 'node:crypto';

export function seededBytes(label: string, length: number): Uint8Array {
  if (length === 0) return new Uint8Array(0);
  return new Uint8Array(createHash('shake256', { outputLength: length }).update(label).digest());
}
