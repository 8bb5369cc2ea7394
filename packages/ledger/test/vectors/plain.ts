/**
 * Records as plain JSON: names in snake case, integers as decimal strings, bytes in hexadecimal.
 */
import { toHex } from '../../src/protocol.ts';

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function plain(value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'number') return String(value);
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [snakeCase(name), plain(part)]),
  );
}
