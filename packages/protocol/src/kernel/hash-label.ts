/**
 * `H(label, data)` of `docs/protocol.md` 1, for the host. What is hashed in bulk is hashed inside
 * the kernel instead.
 */
import { concatBytes } from '../base/bytes.ts';
import type { Label } from '../base/labels.ts';
import { LABELS } from '../base/labels.ts';
import { sha384 } from './sha384.ts';

const encoder = new TextEncoder();

export function hashLabel(label: Label, ...data: readonly Uint8Array[]): Uint8Array {
  return sha384(concatBytes(encoder.encode(label), ...data));
}

/** Key hash of a public key; `docs/protocol.md` 3. */
export function keyHash(publicKey: Uint8Array): Uint8Array {
  return hashLabel(LABELS.key, publicKey);
}
