/**
 * Quotes a body before it is signed: the size, mass and fee that the transaction will have with
 * witnesses of the given profiles.
 */
import { OK, REPEATED_MISMATCH, TRANSACTION_TOO_LARGE, UNKNOWN_PROFILE } from '../errors';
import { decodeBody, isRepeated, transactionBytesMax, witnessesOf } from './decode';
import { blame } from './fault';
import { PROFILE_REPEATED, QUOTED_PROFILE_BYTES, SIGNATURE_BYTES, TABLE_OPERATION, TABLE_SIGNATURES, TABLE_WIRE_BYTES, TABLE_WITNESS_COUNT } from './layout';
import { weigh } from './mass';
import { needsPossession } from './operation';
import { isMultisig, witnessBytes } from './witness';

/** `profiles` holds one entry for each input and one for the operation, if there is one. */
export function quoteBody(manifest: usize, body: usize, length: i32, profiles: usize, table: usize): i32 {
  const error = decodeBody(manifest, body, length, table);
  if (error != OK) return error;
  const count = witnessesOf(table);
  let wireBytes = 1 + length;
  let signatures = 0;
  for (let i = 0; i < count; i++) {
    const entry = profiles + i * QUOTED_PROFILE_BYTES;
    const profile = <i32>load<u8>(entry);
    const threshold = <i32>load<u8>(entry, 1);
    const bytes = witnessBytes(profile, threshold, load<u8>(entry, 2));
    if (bytes == 0) return blame(UNKNOWN_PROFILE, i);
    if (isRepeated(table, i) != (profile == PROFILE_REPEATED)) return blame(REPEATED_MISMATCH, i);
    wireBytes += bytes;
    signatures += isMultisig(profile) ? threshold : profile == PROFILE_REPEATED ? 0 : 1;
  }
  if (needsPossession(load<u32>(table, TABLE_OPERATION))) {
    wireBytes += SIGNATURE_BYTES;
    signatures++;
  }
  if (wireBytes > transactionBytesMax(manifest)) return TRANSACTION_TOO_LARGE;
  store<u32>(table, count, TABLE_WITNESS_COUNT);
  store<u32>(table, wireBytes, TABLE_WIRE_BYTES);
  store<u32>(table, signatures, TABLE_SIGNATURES);
  weigh(manifest, table);
  return OK;
}
