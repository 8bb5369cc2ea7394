/**
 * The signatures of one transaction, collected while its witnesses are matched with addresses and
 * checked only when nothing cheaper is left to refuse it.
 */

/** Nine witnesses with three signatures each, and the possession signature. */
const SIGNATURES_MAX: i32 = 28;
const ENTRY_BYTES: i32 = 12;
const ENTRIES: usize = memory.data(28 * 12, 16);

let count: i32 = 0;

export function signaturesBegin(): void {
  count = 0;
}

export function signatureCount(): i32 {
  return count;
}

/** `witness` is the place of the witness, or the number of witnesses for the possession signature. */
export function addSignature(publicKey: usize, signature: usize, witness: i32): void {
  if (count == SIGNATURES_MAX) unreachable();
  const entry = ENTRIES + count * ENTRY_BYTES;
  store<u32>(entry, <u32>publicKey);
  store<u32>(entry, <u32>signature, 4);
  store<u32>(entry, witness, 8);
  count++;
}

export function signaturePublicKey(index: i32): usize {
  return load<u32>(ENTRIES + index * ENTRY_BYTES);
}

export function signatureBytes(index: i32): usize {
  return load<u32>(ENTRIES + index * ENTRY_BYTES, 4);
}

export function signatureWitness(index: i32): i32 {
  return load<u32>(ENTRIES + index * ENTRY_BYTES, 8);
}
