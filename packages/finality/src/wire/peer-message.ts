/**
 * What travels between validators, behind one byte that says what it is; `docs/protocol.md` 8.6.
 */
import { concatBytes, expectBytes, Reader, SvcError, Writer } from 'svc-wasm/base';
import { PROPOSAL_BYTES, VOTE_BYTES } from 'svc-wasm/internal';
import { ROUND_MAX, VALIDATORS_MAX } from '../base/limits.ts';
import type { Bitmap, CutId, Height, Round } from '../base/types.ts';
import type { PeerMessage } from '../machine/effects.ts';
import {
  decodeCommitCertificate,
  decodePolkaCertificate,
  encodeCertificate,
} from './certificate-bytes.ts';
import { decodeProposal, decodeVote, encodeSigned } from './signed-message.ts';
import { decodeSummary, encodeSummary, SUMMARY_BYTES_MAX } from './summary-bytes.ts';
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

export type WireMessage = PeerMessage | PolkaRequest | PrecommitsRequest;

export const TAGS = {
  proposal: 1,
  vote: 2,
  commitCertificate: 3,
  polkaCertificate: 4,
  summary: 5,
  polkaRequest: 6,
  precommitsRequest: 7,
} as const;

const SIGNATURE_BYTES = 3309;
const CERTIFICATE_BYTES = 8 + 4 + 2 * ID_BYTES + 8;

/** No message is longer: a polka certificate that everybody signed. */
export const WIRE_MESSAGE_BYTES_MAX: number =
  1 + 4 + CERTIFICATE_BYTES + VALIDATORS_MAX * SIGNATURE_BYTES;

/** The longest message behind each tag, so that a reader can refuse before it has read all. */
export const WIRE_BYTES_MAX: Readonly<Record<keyof typeof TAGS, number>> = {
  proposal: 1 + PROPOSAL_BYTES,
  vote: 1 + VOTE_BYTES,
  commitCertificate: WIRE_MESSAGE_BYTES_MAX - 4,
  polkaCertificate: WIRE_MESSAGE_BYTES_MAX,
  summary: 1 + SUMMARY_BYTES_MAX,
  polkaRequest: 1 + 8 + 4 + ID_BYTES,
  precommitsRequest: 1 + 8 + 4 + 8,
};

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
    case undefined:
      throw new SvcError('truncated', 'expected a message, found no bytes', { path });
    default:
      throw new SvcError('bad_cut', `expected a tag from 1 to 7, found ${bytes[0]}`, { path });
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
