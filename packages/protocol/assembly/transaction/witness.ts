/**
 * Witnesses as bytes; `docs/protocol.md` 4.3. Only their form is checked here; whether one
 * authorises anything is decided in `authorize.ts`.
 */
import { compareBytes } from '../codec/compare';
import { readBytes, readerAt, readerError, readU8 } from '../codec/reader';
import { BAD_POLICY, BAD_SIGNERS, MEMBERS_NOT_ASCENDING, OK, REPEATED_MISMATCH, UNKNOWN_PROFILE } from '../errors';
import { failAt } from './fault';
import {
  ID_BYTES, PROFILE_INLINE, PROFILE_MULTISIG_INLINE, PROFILE_MULTISIG_REFERENCED, PROFILE_REFERENCED,
  PROFILE_REPEATED, PUBLIC_KEY_BYTES,
  SIGNATURE_BYTES, WITNESS_AT, WITNESS_BYTES, WITNESS_PROFILE, WITNESS_SIGNATURES,
} from './layout';

export function isPolicy(threshold: i32, members: i32): bool {
  return (threshold == 2 && members == 3) || (threshold == 3 && members == 5);
}

/** Whether a witness of the profile shows the keys that sign. */
export function showsKeys(profile: i32): bool {
  return profile == PROFILE_INLINE || profile == PROFILE_MULTISIG_INLINE;
}

export function isMultisig(profile: i32): bool {
  return profile == PROFILE_MULTISIG_INLINE || profile == PROFILE_MULTISIG_REFERENCED;
}

/** Bytes that each signature takes, with its key where the profile shows it. */
export function signerBytes(profile: i32): i32 {
  return showsKeys(profile) ? PUBLIC_KEY_BYTES + SIGNATURE_BYTES : SIGNATURE_BYTES;
}

/** Bytes of a multisig witness before the first signer: profile, policy, key hashes, bitmap. */
export function multisigHeadBytes(members: i32): i32 {
  return 1 + 2 + members * ID_BYTES + 1;
}

function hashesAscend(first: usize, members: i32): bool {
  for (let i = 1; i < members; i++) {
    const hash = first + i * ID_BYTES;
    if (compareBytes(hash - ID_BYTES, hash, ID_BYTES) >= 0) return false;
  }
  return true;
}

/** Reads policy, members and bitmap; returns the number of signatures that follow. */
function readPolicy(item: i32): i32 {
  const threshold = <i32>readU8();
  const members = <i32>readU8();
  if (!isPolicy(threshold, members)) {
    failAt(BAD_POLICY, item);
    return 0;
  }
  const hashes = readBytes(members * ID_BYTES);
  const signers = <i32>readU8();
  if (readerError() != OK) return 0;
  if (!hashesAscend(hashes, members)) failAt(MEMBERS_NOT_ASCENDING, item);
  else if (signers >> members != 0 || popcnt(signers) != threshold) failAt(BAD_SIGNERS, item);
  return threshold;
}

/** Reads the witness with the given place in the list and fills its entry of the table; the body says which repeat. */
export function readWitness(base: usize, entry: usize, item: i32, isRepeated: bool): void {
  const start = readerAt();
  const profile = <i32>readU8();
  if (readerError() == OK && profile > PROFILE_REPEATED) return failAt(UNKNOWN_PROFILE, item);
  if (isRepeated != (profile == PROFILE_REPEATED)) return failAt(REPEATED_MISMATCH, item);
  const signatures = isMultisig(profile) ? readPolicy(item) : isRepeated ? 0 : 1;
  readBytes(signatures * signerBytes(profile));
  store<u32>(entry, profile, WITNESS_PROFILE);
  store<u32>(entry, <u32>(start - base), WITNESS_AT);
  store<u32>(entry, <u32>(readerAt() - start), WITNESS_BYTES);
  store<u32>(entry, signatures, WITNESS_SIGNATURES);
}

/** Bytes of a witness with the profile, for a quote; 0 when there is no such witness. */
export function witnessBytes(profile: i32, threshold: i32, members: i32): i32 {
  if (profile == PROFILE_REPEATED) return 1;
  if (profile == PROFILE_INLINE || profile == PROFILE_REFERENCED) return 1 + signerBytes(profile);
  if (!isMultisig(profile) || !isPolicy(threshold, members)) return 0;
  return multisigHeadBytes(members) + threshold * signerBytes(profile);
}
