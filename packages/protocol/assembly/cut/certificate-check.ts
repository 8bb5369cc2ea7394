/**
 * Decides whether a certificate proves its cut, from the bytes of everything that belongs to it;
 * `docs/protocol.md` 8.3. Cheap checks come first: no signature is looked at before header, set,
 * bitmap and stake fit.
 */
import { equalBytes } from '../codec/compare';
import { ascii, asciiPointer } from '../codec/label';
import {
  BAD_VOTE_SIGNATURE, OK, SIGNERS_OUTSIDE_SET, TOO_LITTLE_STAKE, WRONG_CERTIFIED_CUT, WRONG_CERTIFIED_SET,
  WRONG_CUT_CHAIN, WRONG_CUT_SET,
} from '../errors';
import { mldsaVerify, mldsaVerifyExpanded } from '../mldsa/verify';
import { OUT } from '../memory';
import { ID_BYTES, SIGNATURE_BYTES } from '../transaction/layout';
import { certificateDecode, certificateFields, certificateSigners, certificateValidRound } from './certificate';
import { blame, checking } from './fault';
import { checkHeader } from './header';
import {
  CERTIFICATE_CUT_ID, CERTIFICATE_HEIGHT, CERTIFICATE_ROUND, CERTIFICATE_SET_ID, CERTIFICATE_SIGNATURES,
  CHECKED_CUT_ID, CHECKED_HEIGHT, CHECKED_SIGNED_STAKE, CHECKED_SIGNER_COUNT, CHECKED_SIGNERS, CHECKED_TOTAL_STAKE,
  CUT_CHAIN_ID, CUT_HEIGHT, CUT_SET_ID, MEMBER_BYTES, MEMBER_KEY, MEMBER_STAKE, PART_CERTIFICATE,
  SET_MEMBERS, VALIDATORS_MAX,
} from './layout';
import { checkSet, setId, setSize, setTotalStake } from './validator-set';

// What a vote signs: chain id, set id, kind, height, round, valid round, flag, cut id.
const SIGNED_KIND: usize = 96;
const SIGNED_HEIGHT: usize = 97;
const SIGNED_ROUND: usize = 105;
const SIGNED_VALID_ROUND: usize = 109;
const SIGNED_FLAG: usize = 113;
const SIGNED_CUT_ID: usize = 114;
const SIGNED_BYTES: i32 = 162;
const SIGNED: usize = memory.data(162, 16);
const NAMES_CUT: u8 = 1;

const HEADER_ID: usize = memory.data(48, 16);

/**
 * Checks precommits, or with kind 1 prevotes behind their valid round. `header` is 0 where only the
 * votes are in question. `slots` holds a u32 for each member of the set: where its expanded key
 * is, or 0. On success `OUT` holds what was proven.
 */
export function certificateCheck(
  kind: i32,
  header: usize,
  headerLength: i32,
  certificate: usize,
  length: i32,
  set: usize,
  setLength: i32,
  chainId: usize,
  slots: usize,
): i32 {
  let error = checkSet(set, setLength);
  if (error == OK) error = certificateDecode(kind, certificate, length);
  if (error == OK && header != 0) error = checkCut(header, headerLength, chainId);
  if (error != OK) return error;
  checking(PART_CERTIFICATE);
  if (!equalBytes(certificateFields() + CERTIFICATE_SET_ID, setId(), ID_BYTES)) return WRONG_CERTIFIED_SET;
  error = checkStake(set + SET_MEMBERS);
  return error != OK ? error : checkSignatures(kind, set + SET_MEMBERS, chainId, slots);
}

/** The header is of this chain, signed by this set, and the cut that the certificate names. */
function checkCut(header: usize, length: i32, chainId: usize): i32 {
  const error = checkHeader(header, length, HEADER_ID);
  if (error != OK) return error;
  if (!equalBytes(header + CUT_CHAIN_ID, chainId, ID_BYTES)) return WRONG_CUT_CHAIN;
  if (!equalBytes(header + CUT_SET_ID, setId(), ID_BYTES)) return WRONG_CUT_SET;
  checking(PART_CERTIFICATE);
  const fields = certificateFields();
  const isThisCut =
    load<u64>(fields, CERTIFICATE_HEIGHT) == load<u64>(header, CUT_HEIGHT) &&
    equalBytes(fields + CERTIFICATE_CUT_ID, HEADER_ID, ID_BYTES);
  return isThisCut ? OK : WRONG_CERTIFIED_CUT;
}

/** More than two thirds of the stake signed, and no bit is outside the set. */
function checkStake(members: usize): i32 {
  const fields = certificateFields();
  const signers = certificateSigners();
  const size = setSize();
  if (size < VALIDATORS_MAX && signers >> <u64>size != 0) return SIGNERS_OUTSIDE_SET;
  let stake: u64 = 0;
  for (let left = signers; left != 0; left &= left - 1) {
    stake += load<u64>(members + <usize>ctz<u64>(left) * MEMBER_BYTES, MEMBER_STAKE);
  }
  if (3 * stake <= 2 * setTotalStake()) return TOO_LITTLE_STAKE;
  memory.copy(OUT + CHECKED_CUT_ID, fields + CERTIFICATE_CUT_ID, ID_BYTES);
  store<u64>(OUT, load<u64>(fields, CERTIFICATE_HEIGHT), CHECKED_HEIGHT);
  store<u64>(OUT, stake, CHECKED_SIGNED_STAKE);
  store<u64>(OUT, setTotalStake(), CHECKED_TOTAL_STAKE);
  store<u64>(OUT, signers, CHECKED_SIGNERS);
  store<u32>(OUT, <u32>popcnt<u64>(signers), CHECKED_SIGNER_COUNT);
  return OK;
}

function checkSignatures(kind: i32, members: usize, chainId: usize, slots: usize): i32 {
  writeSigned(kind, chainId);
  const contextBytes = ascii('svc/vote/v1');
  const signatures = certificateFields() + CERTIFICATE_SIGNATURES;
  let index = 0;
  for (let left = certificateSigners(); left != 0; left &= left - 1) {
    const signer = <usize>ctz<u64>(left);
    const slot = <usize>load<u32>(slots + (signer << 2));
    const key = members + signer * MEMBER_BYTES + MEMBER_KEY;
    const signature = signatures + index * SIGNATURE_BYTES;
    const holds = slot != 0
      ? mldsaVerifyExpanded(slot, SIGNED, SIGNED_BYTES, asciiPointer(), contextBytes, signature)
      : mldsaVerify(key, SIGNED, SIGNED_BYTES, asciiPointer(), contextBytes, signature);
    if (!holds) return blame(BAD_VOTE_SIGNATURE, index);
    index++;
  }
  return OK;
}

function writeSigned(kind: i32, chainId: usize): void {
  const fields = certificateFields();
  memory.copy(SIGNED, chainId, ID_BYTES);
  memory.copy(SIGNED + ID_BYTES, fields + CERTIFICATE_SET_ID, ID_BYTES);
  store<u8>(SIGNED + SIGNED_KIND, <u8>kind);
  store<u64>(SIGNED + SIGNED_HEIGHT, load<u64>(fields, CERTIFICATE_HEIGHT));
  store<u32>(SIGNED + SIGNED_ROUND, load<u32>(fields, CERTIFICATE_ROUND));
  store<i32>(SIGNED + SIGNED_VALID_ROUND, certificateValidRound());
  store<u8>(SIGNED + SIGNED_FLAG, NAMES_CUT);
  memory.copy(SIGNED + SIGNED_CUT_ID, fields + CERTIFICATE_CUT_ID, ID_BYTES);
}
