/**
 * The messages of validators as typed values. Their bytes are those of the protocol module.
 * Two messages are the same when their signed bytes are: signatures are randomised and do not count.
 */

import { ROUND_MAX } from './limits.ts';
import type {
  Bitmap,
  CutId,
  Height,
  Round,
  Step,
  ValidatorIndex,
  Value,
  VoteKind,
} from './types.ts';
import { NIL, NO_ROUND } from './types.ts';

export type Signature = Uint8Array;

export interface UnsignedVote {
  readonly kind: VoteKind;
  readonly height: Height;
  readonly round: Round;
  /** The round whose polka justified a prevote for a value proposed again; otherwise `NO_ROUND`. */
  readonly validRound: Round;
  readonly value: Value;
  readonly validatorIndex: ValidatorIndex;
}

export interface Vote extends UnsignedVote {
  readonly signature: Signature;
}

export interface UnsignedProposal {
  readonly kind: 'proposal';
  readonly height: Height;
  readonly round: Round;
  readonly validRound: Round;
  readonly value: CutId;
  readonly validatorIndex: ValidatorIndex;
}

export interface Proposal extends UnsignedProposal {
  readonly signature: Signature;
}

export type UnsignedMessage = UnsignedVote | UnsignedProposal;
export type SignedMessage = Vote | Proposal;
export type MessageKind = SignedMessage['kind'];

/** Precommits of more than two thirds for one cut: the cut is final. */
export interface CommitCertificate {
  readonly kind: 'commitCertificate';
  readonly height: Height;
  readonly round: Round;
  readonly value: CutId;
  readonly signers: Bitmap;
  /** One per set bit, lowest first. */
  readonly signatures: readonly Signature[];
}

/** Prevotes of more than two thirds for one cut and one valid round. */
export interface PolkaCertificate {
  readonly kind: 'polkaCertificate';
  readonly height: Height;
  readonly round: Round;
  readonly validRound: Round;
  readonly value: CutId;
  readonly signers: Bitmap;
  readonly signatures: readonly Signature[];
}

export interface RoundSummary {
  readonly round: Round;
  readonly proposals: number;
  readonly prevotes: Bitmap;
  readonly precommits: Bitmap;
}

/** A summary of the votes that a validator has at its height: a neighbour sends the missing ones. */
export interface Summary {
  readonly kind: 'summary';
  readonly height: Height;
  readonly round: Round;
  readonly step: Step;
  readonly rounds: readonly RoundSummary[];
  /** A polka that a held proposal refers to and that could not be put together from votes. */
  readonly wantedPolka: { readonly round: Round; readonly value: CutId } | undefined;
}

/**
 * A message with its signature. All of them are made here, or with the same fields in the same order: comparing
 * objects of one shape is much faster for the engine.
 */
export function withSignature<Message extends UnsignedMessage>(
  message: Message,
  signature: Signature,
): Message & { readonly signature: Signature } {
  const { kind, height, round, validRound, value, validatorIndex } = message;
  const signed: unknown = { kind, height, round, validRound, value, validatorIndex, signature };
  return signed as Message & { readonly signature: Signature };
}

export function sameSignedBytes(a: UnsignedMessage, b: UnsignedMessage): boolean {
  return (
    a.kind === b.kind &&
    a.height === b.height &&
    a.round === b.round &&
    a.validRound === b.validRound &&
    a.value === b.value
  );
}

/** The rules on valid rounds that hold for every message, whatever the state. */
export function isWellFormed(message: UnsignedMessage): boolean {
  if (!Number.isSafeInteger(message.height) || message.height < 0) return false;
  if (!Number.isSafeInteger(message.round) || message.round < 0) return false;
  if (message.round > ROUND_MAX) return false;
  if (!Number.isSafeInteger(message.validRound) || message.validRound < NO_ROUND) return false;
  if (message.validRound >= message.round) return false;
  if (message.kind === 'proposal') return message.value !== NIL;
  if (message.kind === 'precommit' || message.value === NIL) return message.validRound === NO_ROUND;
  return true;
}
