/**
 * Votes and proposals as bytes, and the bytes that are signed; `docs/protocol.md` 8.3.
 */
import { CONTEXTS, type Context } from 'svc-wasm/base';
import {
  decodeProposal as decodeProposalBytes,
  decodeVote as decodeVoteBytes,
  encodeProposal as encodeProposalBytes,
  encodeVote as encodeVoteBytes,
  type Proposal as ProposalFields,
  proposalSignBytes,
  type Vote as VoteFields,
  voteSignBytes,
} from 'svc-wasm/protocol';
import type {
  MessageKind,
  Proposal,
  SignedMessage,
  UnsignedMessage,
  UnsignedProposal,
  UnsignedVote,
  Vote,
} from '../base/messages.ts';
import { NIL } from '../base/types.ts';
import type { WireContext } from './wire-context.ts';
import {
  cutIdBytes,
  cutIdFrom,
  expectSetOf,
  heightFrom,
  roundFrom,
  setIdFor,
} from './wire-context.ts';

/** What a signature of this kind of message is made for. */
export function signatureContext(kind: MessageKind): Context {
  return kind === 'proposal' ? CONTEXTS.proposal : CONTEXTS.vote;
}

/** The bytes a validator's key signs. */
export function signedBytesOf(context: WireContext, message: UnsignedMessage): Uint8Array {
  return message.kind === 'proposal'
    ? proposalSignBytes(proposalContent(context, message), context.chainId)
    : voteSignBytes(voteContent(context, message), context.chainId);
}

export function encodeSigned(context: WireContext, message: SignedMessage): Uint8Array {
  return message.kind === 'proposal'
    ? encodeProposalBytes(proposalFields(context, message))
    : encodeVoteBytes(voteFields(context, message));
}

export function decodeVote(context: WireContext, bytes: Uint8Array, path = 'vote'): Vote {
  return voteFrom(context, decodeVoteBytes(bytes, path), path);
}

export function decodeProposal(
  context: WireContext,
  bytes: Uint8Array,
  path = 'proposal',
): Proposal {
  return proposalFrom(context, decodeProposalBytes(bytes, path), path);
}

export function voteFields(context: WireContext, vote: Vote): VoteFields {
  const { validatorIndex, signature } = vote;
  return { ...voteContent(context, vote), validatorIndex, signature };
}

export function proposalFields(context: WireContext, proposal: Proposal): ProposalFields {
  const { validatorIndex, signature } = proposal;
  return { ...proposalContent(context, proposal), validatorIndex, signature };
}

export function voteFrom(context: WireContext, fields: VoteFields, path = 'vote'): Vote {
  const height = heightFrom(fields.height, `${path}.height`);
  expectSetOf(context, height, fields.validatorSetId, `${path}.validatorSetId`);
  return {
    kind: fields.kind,
    height,
    round: roundFrom(fields.round),
    validRound: roundFrom(fields.validRound),
    value: fields.cutId === undefined ? NIL : cutIdFrom(fields.cutId),
    validatorIndex: fields.validatorIndex,
    signature: fields.signature,
  };
}

export function proposalFrom(
  context: WireContext,
  fields: ProposalFields,
  path = 'proposal',
): Proposal {
  const height = heightFrom(fields.height, `${path}.height`);
  expectSetOf(context, height, fields.validatorSetId, `${path}.validatorSetId`);
  return {
    kind: 'proposal',
    height,
    round: roundFrom(fields.round),
    validRound: roundFrom(fields.validRound),
    value: cutIdFrom(fields.cutId),
    validatorIndex: fields.validatorIndex,
    signature: fields.signature,
  };
}

function voteContent(context: WireContext, vote: UnsignedVote) {
  const { kind, height, round, validRound, value } = vote;
  return {
    kind,
    height: BigInt(height),
    round,
    validRound,
    cutId: value === NIL ? undefined : cutIdBytes(value),
    validatorSetId: setIdFor(context, height, 'height'),
  };
}

function proposalContent(context: WireContext, proposal: UnsignedProposal) {
  const { height, round, validRound, value } = proposal;
  return {
    height: BigInt(height),
    round,
    validRound,
    cutId: cutIdBytes(value),
    validatorSetId: setIdFor(context, height, 'height'),
  };
}
