/** `H(label, data)` by the runtime's own SHA-384, so that ledger tests need no kernel. */
import { createHash } from 'node:crypto';
import type { Hash } from '../../src/context.ts';
import type { Identifier } from '../../src/identifiers.ts';

export const referenceHash: Hash = (label, ...parts) => {
  const hash = createHash('sha384').update(label);
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
};

/** An identifier made from any text. */
export function idOf(text: string): Identifier {
  return createHash('sha384').update(text).digest('hex');
}
