/**
 * The form of a certificate; `docs/protocol.md` 8.3. What it proves is for `certificate-check.ts`.
 */
import { readBytes, readerBegin, readerEnd, readerError, readI32 } from '../codec/reader';
import { BAD_VALID_ROUND, NO_SIGNERS, OK, ROUND_TOO_LARGE } from '../errors';
import { SIGNATURE_BYTES } from '../transaction/layout';
import { checking } from './fault';
import { CERTIFICATE_ROUND, CERTIFICATE_SIGNATURES, CERTIFICATE_SIGNERS, PART_CERTIFICATE, PREVOTE } from './layout';

const NO_ROUND: i32 = -1;

let base: usize = 0;
let validRound: i32 = NO_ROUND;

/** `kind` is that of the votes in it. */
export function certificateDecode(kind: i32, certificate: usize, length: i32): i32 {
  checking(PART_CERTIFICATE);
  readerBegin(certificate, length);
  validRound = kind == PREVOTE ? readI32() : NO_ROUND;
  base = readBytes(CERTIFICATE_SIGNATURES);
  if (readerError() != OK) return readerError();
  const signers = certificateSigners();
  readBytes(<i32>popcnt<u64>(signers) * SIGNATURE_BYTES);
  if (readerError() != OK) return readerError();
  const round = load<i32>(base, CERTIFICATE_ROUND);
  if (round < 0) return ROUND_TOO_LARGE;
  if (signers == 0) return NO_SIGNERS;
  if (readerEnd() != OK) return readerError();
  if (validRound < NO_ROUND || (kind == PREVOTE && validRound >= round)) return BAD_VALID_ROUND;
  return OK;
}

/** Where the fields of the certificate decoded last start. */
export function certificateFields(): usize {
  return base;
}

export function certificateSigners(): u64 {
  return load<u64>(base, CERTIFICATE_SIGNERS);
}

export function certificateValidRound(): i32 {
  return validRound;
}
