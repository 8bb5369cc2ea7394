/**
 * The first byte of every message between validators, and how long each message can be;
 * `docs/protocol.md` 8.6.
 */
import { PROPOSAL_BYTES, VOTE_BYTES } from 'svc-wasm/protocol';
import { VALIDATORS_MAX } from '../base/limits.ts';
import { BLOCK_BYTES_MAX, BLOCKS_PER_REQUEST_MAX, CUT_BYTES_MAX } from './cut-bytes.ts';
import { REPORT_BYTES_MAX } from './report-bytes.ts';
import { SUMMARY_BYTES_MAX } from './summary-bytes.ts';
import { ID_BYTES } from './wire-context.ts';

export const TAGS = {
  proposal: 1,
  vote: 2,
  commitCertificate: 3,
  polkaCertificate: 4,
  summary: 5,
  polkaRequest: 6,
  precommitsRequest: 7,
  proposalWithCut: 8,
  decision: 9,
  cutRequest: 10,
  cut: 11,
  blocksRequest: 12,
  block: 13,
  voteReport: 14,
  evidence: 15,
} as const;
export const TAG_MAX = TAGS.evidence;

const SIGNATURE_BYTES = 3309;
const CERTIFICATE_BYTES = 8 + 4 + 2 * ID_BYTES + 8;

const CERTIFICATE_BYTES_MAX = CERTIFICATE_BYTES + VALIDATORS_MAX * SIGNATURE_BYTES;
const BODY_COUNT_BYTES_MAX = 3;
/** A kind, and two messages of it with their lengths. */
const EVIDENCE_BYTES_MAX = 1 + 2 * (2 + Math.max(PROPOSAL_BYTES, VOTE_BYTES));

/** No message is longer: a decision signed by all, with the fullest cut. */
export const WIRE_MESSAGE_BYTES_MAX: number =
  1 + BODY_COUNT_BYTES_MAX + CUT_BYTES_MAX + CERTIFICATE_BYTES_MAX;

/** The longest message behind each tag, so that a reader can refuse before it has read all. */
export const WIRE_BYTES_MAX: Readonly<Record<keyof typeof TAGS, number>> = {
  proposal: 1 + PROPOSAL_BYTES,
  vote: 1 + VOTE_BYTES,
  commitCertificate: 1 + CERTIFICATE_BYTES_MAX,
  polkaCertificate: 1 + 4 + CERTIFICATE_BYTES_MAX,
  summary: 1 + SUMMARY_BYTES_MAX,
  polkaRequest: 1 + 8 + 4 + ID_BYTES,
  precommitsRequest: 1 + 8 + 4 + 8,
  proposalWithCut: 1 + PROPOSAL_BYTES + CUT_BYTES_MAX,
  decision: WIRE_MESSAGE_BYTES_MAX,
  cutRequest: 1 + 8 + ID_BYTES,
  cut: 1 + CUT_BYTES_MAX,
  blocksRequest: 1 + 1 + BLOCKS_PER_REQUEST_MAX * ID_BYTES,
  block: 1 + BLOCK_BYTES_MAX,
  voteReport: 1 + REPORT_BYTES_MAX,
  evidence: 1 + EVIDENCE_BYTES_MAX,
};
