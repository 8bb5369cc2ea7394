/**
 * The messages between validators, each after one byte that names its kind; `docs/protocol.md` 8.6.
 */
import { concatBytes, expectBytes, Reader, SvcError, Writer } from 'svc-wasm/base';
import { ROUND_MAX } from '../base/limits.ts';
import type { Bitmap, CutId, Height, Round } from '../base/types.ts';
import type { PeerMessage } from '../step/effects.ts';
import {
  decodeCommitCertificate,
  decodePolkaCertificate,
  encodeCertificate,
} from './certificate-bytes.ts';
import type { BlockMessage, BlocksRequest } from './cut-bytes.ts';
import {
  decodeBlock,
  decodeBlocksRequest,
  encodeBlock,
  encodeBlocksRequest,
  splitCut,
} from './cut-bytes.ts';
import type { CutMessage, CutRequest, Decision, ProposalWithCut } from './cut-messages.ts';
import {
  decodeCutRequest,
  decodeDecision,
  decodeProposalWithCut,
  encodeCutRequest,
  encodeDecision,
  encodeProposalWithCut,
} from './cut-messages.ts';
import { encodeEvidence } from './evidence-bytes.ts';
import type { EvidenceMessage, VoteReport } from './report-bytes.ts';
import { decodeEvidenceMessage, decodeReport, encodeReport } from './report-bytes.ts';
import { decodeProposal, decodeVote, encodeSigned } from './signed-message.ts';
import { decodeSummary, encodeSummary } from './summary-bytes.ts';
import { TAG_MAX, TAGS } from './tags.ts';
import type { WireContext } from './wire-context.ts';
import { cutIdBytes, cutIdFrom, heightFrom, ID_BYTES, roundFrom } from './wire-context.ts';

/** Asks for the polka that a proposal leans on. */
export interface PolkaRequest {
  readonly kind: 'polkaRequest';
  readonly height: Height;
  readonly round: Round;
  readonly value: CutId;
}

/** Asks for precommits of the previous height that a header claims. */
export interface PrecommitsRequest {
  readonly kind: 'precommitsRequest';
  readonly height: Height;
  readonly round: Round;
  readonly signers: Bitmap;
}

export type WireMessage =
  | PeerMessage
  | PolkaRequest
  | PrecommitsRequest
  | ProposalWithCut
  | Decision
  | CutRequest
  | CutMessage
  | BlocksRequest
  | BlockMessage
  | VoteReport
  | EvidenceMessage;

export function encodeMessage(context: WireContext, message: WireMessage): Uint8Array {
  switch (message.kind) {
    case 'proposal':
      return tagged(TAGS.proposal, encodeSigned(context, message));
    case 'prevote':
    case 'precommit':
      return tagged(TAGS.vote, encodeSigned(context, message));
    case 'commitCertificate':
    case 'polkaCertificate':
      return tagged(TAGS[message.kind], encodeCertificate(context, message));
    case 'summary':
      return tagged(TAGS.summary, encodeSummary(message));
    case 'polkaRequest':
      return requestHead(TAGS.polkaRequest, message).raw(cutIdBytes(message.value)).finish();
    case 'precommitsRequest':
      return requestHead(TAGS.precommitsRequest, message).u64(message.signers).finish();
    case 'proposalWithCut':
      return encodeProposalWithCut(context, message);
    case 'decision':
      return encodeDecision(context, message);
    case 'cutRequest':
      return encodeCutRequest(message);
    case 'cut':
      return tagged(TAGS.cut, concatBytes(message.cut.header, message.cut.body));
    case 'blocksRequest':
      return encodeBlocksRequest(TAGS.blocksRequest, message);
    case 'block':
      return encodeBlock(TAGS.block, message);
    case 'voteReport':
      return tagged(TAGS.voteReport, encodeReport(message));
    case 'evidence':
      return tagged(TAGS.evidence, encodeEvidence(context, message));
  }
}

export function decodeMessage(
  context: WireContext,
  bytes: Uint8Array,
  path = 'message',
): WireMessage {
  const content = expectBytes(bytes, path).subarray(1);
  switch (bytes[0]) {
    case TAGS.proposal:
      return decodeProposal(context, content, path);
    case TAGS.vote:
      return decodeVote(context, content, path);
    case TAGS.commitCertificate:
      return decodeCommitCertificate(context, content, path);
    case TAGS.polkaCertificate:
      return decodePolkaCertificate(context, content, path);
    case TAGS.summary:
      return decodeSummary(content, path);
    case TAGS.polkaRequest:
      return decodePolkaRequest(content, path);
    case TAGS.precommitsRequest:
      return decodePrecommitsRequest(content, path);
    case TAGS.proposalWithCut:
      return decodeProposalWithCut(context, content, path);
    case TAGS.decision:
      return decodeDecision(context, content, path);
    case TAGS.cutRequest:
      return decodeCutRequest(content, path);
    case TAGS.cut:
      return { kind: 'cut', cut: splitCut(content, path) };
    case TAGS.blocksRequest:
      return decodeBlocksRequest(content, path);
    case TAGS.block:
      return decodeBlock(content, path);
    case TAGS.voteReport:
      return decodeReport(content, path);
    case TAGS.evidence:
      return decodeEvidenceMessage(context, content, path);
    case undefined:
      throw new SvcError('truncated', 'expected a message, found no bytes', { path });
    default:
      throw new SvcError('bad_cut', `expected a tag from 1 to ${TAG_MAX}, found ${bytes[0]}`, {
        path,
      });
  }
}

function decodePolkaRequest(bytes: Uint8Array, path: string): PolkaRequest {
  const reader = new Reader(bytes, path);
  const { height, round } = readPlace(reader, path);
  const value = cutIdFrom(reader.raw(ID_BYTES));
  reader.end();
  return { kind: 'polkaRequest', height, round, value };
}

function decodePrecommitsRequest(bytes: Uint8Array, path: string): PrecommitsRequest {
  const reader = new Reader(bytes, path);
  const { height, round } = readPlace(reader, path);
  const signers = reader.u64();
  reader.end();
  return { kind: 'precommitsRequest', height, round, signers };
}

function readPlace(reader: Reader, path: string): { height: Height; round: Round } {
  const height = heightFrom(reader.u64(), `${path}.height`);
  const round = reader.u32();
  if (round <= ROUND_MAX) return { height, round: roundFrom(round) };
  const message = `expected at most ${ROUND_MAX}, found ${round}`;
  throw new SvcError('out_of_range', message, { path: `${path}.round` });
}

function requestHead(tag: number, request: PolkaRequest | PrecommitsRequest): Writer {
  return new Writer(64).u8(tag).u64(BigInt(request.height)).u32(request.round);
}

function tagged(tag: number, bytes: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(tag), bytes);
}
