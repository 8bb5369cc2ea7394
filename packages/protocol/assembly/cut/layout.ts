/**
 * Cut headers, validator sets and certificates as bytes; `docs/protocol.md` 8, and the tables that
 * their checks fill. The constants carry no types so that the host imports this very file.
 */

export const VALIDATORS_MAX = 64;
export const REGISTERED_BLOCKS_MAX = 256;

export const CUT_HEADER_VERSION = 1;
export const CUT_HEADER_BYTES = 558;
export const CUT_PROTOCOL_VERSION = 4; // u32
export const CUT_CHAIN_ID = 8;
export const CUT_HEIGHT = 56; // u64
export const CUT_PARENT_ID = 64;
export const CUT_HISTORY_ROOT = 112;
export const CUT_PROPOSER = 160; // u16
export const CUT_TIME = 162; // u64
export const CUT_SET_ID = 170;
export const CUT_NEXT_SET_ID = 218;
export const CUT_PREVIOUS_ROUND = 266; // u32
export const CUT_PREVIOUS_SIGNERS = 270; // u64
export const CUT_REGISTERED_ROOT = 278;
export const CUT_REGISTERED_COUNT = 326; // u32
export const CUT_REGISTERED_BYTES = 330; // u32
export const CUT_EVIDENCE_ROOT = 334;
export const CUT_OUTCOME_ROOT = 382;
export const CUT_CHANGES_ROOT = 430;
export const CUT_STATE_ROOT = 478;
export const CUT_WORK_TARGET = 526;

// A validator set: a count, which takes one byte, and its members.
export const SET_MEMBERS = 1;
export const MEMBER_ID = 0;
export const MEMBER_KEY = 48;
export const MEMBER_STAKE = 2000; // u64
export const MEMBER_BYTES = 2008;
export const SET_BYTES_MAX = 128513;

// What `validatorSetDecode` leaves in OUT.
export const SET_ID = 0;
export const SET_TOTAL_STAKE = 48; // u64
export const SET_SIZE = 56; // u32

export const PREVOTE = 1;
export const PRECOMMIT = 2;

// A certificate; that of prevotes starts with their valid round, and everything is behind it.
export const VALID_ROUND_BYTES = 4; // i32
export const CERTIFICATE_HEIGHT = 0; // u64
export const CERTIFICATE_ROUND = 8; // u32
export const CERTIFICATE_CUT_ID = 12;
export const CERTIFICATE_SET_ID = 60;
export const CERTIFICATE_SIGNERS = 108; // u64
export const CERTIFICATE_SIGNATURES = 116;
export const CERTIFICATE_BYTES_MAX = 211896;

// What `certificateCheck` leaves in OUT.
export const CHECKED_CUT_ID = 0;
export const CHECKED_HEIGHT = 48; // u64
export const CHECKED_SIGNED_STAKE = 56; // u64
export const CHECKED_TOTAL_STAKE = 64; // u64
export const CHECKED_SIGNERS = 72; // u64
export const CHECKED_SIGNER_COUNT = 80; // u32

// Which of its arguments a failing check blames.
export const PART_HEADER = 1;
export const PART_SET = 2;
export const PART_CERTIFICATE = 3;
