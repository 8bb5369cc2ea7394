/**
 * Messages that carry a cut or ask for one; `docs/protocol.md` 8.6. The cut must be the one that the signatures
 * beside it name.
 */
import { concatBytes, Reader, Writer } from 'svc-wasm/base';
import { CUT_HEADER_BYTES, PROPOSAL_BYTES } from 'svc-wasm/protocol';
import type { CommitCertificate, Proposal } from '../base/messages.ts';
import type { CutId, Height } from '../base/types.ts';
import { decodeCommitCertificate, encodeCertificate } from './certificate-bytes.ts';
import type { EncodedCut } from './cut-bytes.ts';
import { CUT_BODY_BYTES_MAX, decodeCut, expectCut, splitCut } from './cut-bytes.ts';
import { decodeProposal, encodeSigned } from './signed-message.ts';
import { TAGS, WIRE_BYTES_MAX } from './tags.ts';
import type { WireContext } from './wire-context.ts';
import { cutIdBytes, cutIdFrom, heightFrom, ID_BYTES } from './wire-context.ts';

/** A proposal together with its cut, so that a receiver can evaluate the cut at once. */
export interface ProposalWithCut {
  readonly kind: 'proposalWithCut';
  readonly proposal: Proposal;
  readonly cut: EncodedCut;
}

/** An answer for a validator that is behind: the cut of its height and the certificate for that cut. */
export interface Decision {
  readonly kind: 'decision';
  readonly certificate: CommitCertificate;
  readonly cut: EncodedCut;
}

export interface CutRequest {
  readonly kind: 'cutRequest';
  readonly height: Height;
  readonly value: CutId;
}

export interface CutMessage {
  readonly kind: 'cut';
  readonly cut: EncodedCut;
}

export function encodeProposalWithCut(context: WireContext, message: ProposalWithCut): Uint8Array {
  const { proposal, cut } = message;
  expectCut(cut, proposal.value, 'cut');
  return concatBytes(
    Uint8Array.of(TAGS.proposalWithCut),
    encodeSigned(context, proposal),
    cut.header,
    cut.body,
  );
}

export function decodeProposalWithCut(
  context: WireContext,
  bytes: Uint8Array,
  path: string,
): ProposalWithCut {
  const signed = new Reader(bytes, path).raw(PROPOSAL_BYTES);
  const proposal = decodeProposal(context, signed, path);
  const cut = splitCut(bytes.subarray(PROPOSAL_BYTES), `${path}.cut`);
  expectCut(cut, proposal.value, `${path}.cut`);
  return { kind: 'proposalWithCut', proposal, cut };
}

export function encodeDecision(context: WireContext, { certificate, cut }: Decision): Uint8Array {
  expectCut(cut, certificate.value, 'cut');
  return new Writer(WIRE_BYTES_MAX.decision)
    .u8(TAGS.decision)
    .raw(cut.header)
    .counted(cut.body)
    .raw(encodeCertificate(context, certificate))
    .finish();
}

export function decodeDecision(context: WireContext, bytes: Uint8Array, path: string): Decision {
  const reader = new Reader(bytes, path);
  const header = reader.raw(CUT_HEADER_BYTES);
  const body = reader.counted(CUT_BODY_BYTES_MAX);
  const certificate = decodeCommitCertificate(context, bytes.slice(reader.offset), path);
  const cut = decodeCut(header, body, `${path}.cut`);
  expectCut(cut, certificate.value, `${path}.cut`);
  return { kind: 'decision', certificate, cut };
}

export function decodeCutRequest(bytes: Uint8Array, path: string): CutRequest {
  const reader = new Reader(bytes, path);
  const height = heightFrom(reader.u64(), `${path}.height`);
  const value = cutIdFrom(reader.raw(ID_BYTES));
  reader.end();
  return { kind: 'cutRequest', height, value };
}

export function encodeCutRequest({ height, value }: CutRequest): Uint8Array {
  return new Writer(WIRE_BYTES_MAX.cutRequest)
    .u8(TAGS.cutRequest)
    .u64(BigInt(height))
    .raw(cutIdBytes(value))
    .finish();
}
