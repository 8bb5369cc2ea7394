/**
 * `H(label, data)` of `docs/protocol.md` 1, for the host. What is hashed in bulk is hashed inside
 * the kernel instead.
 */
import { concatBytes, wipe } from '../base/bytes.ts';
import type { Label } from '../base/labels.ts';
import { LABELS } from '../base/labels.ts';
import { sha384 } from './sha384.ts';

const encoder = new TextEncoder();

/** The bytes of each label, which are asked for with every hash. */
const labelBytes = new Map<Label, Uint8Array>(
  Object.values(LABELS).map((label) => [label, encoder.encode(label)]),
);

export function hashLabel(label: Label, ...data: readonly Uint8Array[]): Uint8Array {
  return sha384(concatBytes(labelBytes.get(label) ?? encoder.encode(label), ...data));
}

/** Hashes a secret as `hashLabel` does, and overwrites every copy of the secret that is made on the way. */
export function hashSecret(label: Label, secret: Uint8Array): Uint8Array {
  const data = concatBytes(encoder.encode(label), secret);
  try {
    return sha384(data);
  } finally {
    wipe(data);
    // Hashing zeros overwrites the secret in the kernel's input and in its hash state.
    sha384(data);
  }
}

/** Key hash of a public key; `docs/protocol.md` 3. */
export function keyHash(publicKey: Uint8Array): Uint8Array {
  return hashLabel(LABELS.key, publicKey);
}
