/**
 * Votes, prevotes and precommits alike; `docs/protocol.md` 8.3. Decoding checks the form; the
 * signature is checked by `verifyVote`.
 */
import { PRECOMMIT, PREVOTE } from '../../assembly/cut/layout.ts';
import { equalBytes, expectBytes } from '../base/bytes.ts';
import { CONTEXTS } from '../base/labels.ts';
import { Reader } from '../base/reader.ts';
import { ID_BYTES, SIGNATURE_BYTES } from '../base/sizes.ts';
import { Writer } from '../base/writer.ts';
import { expectAtMost, expectThat } from './check.ts';
import { VALIDATORS_MAX } from './limits.ts';
import { verifyByValidator } from './signature.ts';
import type { ValidatorSet } from './validator-set.ts';

export const VOTE_BYTES = 1 + 8 + 4 + 4 + 1 + ID_BYTES + 2 + ID_BYTES + SIGNATURE_BYTES;

export const VOTE_KINDS = { prevote: PREVOTE, precommit: PRECOMMIT } as const;
export type VoteKind = keyof typeof VOTE_KINDS;

/** "No round": rounds start at 0, so nothing may test one for being zero. */
export const NO_ROUND = -1;
export const ROUND_MAX = 0x7fff_ffff;

const NIL = new Uint8Array(ID_BYTES);

/** What a vote says; `cutId` is undefined for nil. */
export interface VoteContent {
  readonly kind: VoteKind;
  readonly height: bigint;
  readonly round: number;
  readonly validRound: number;
  readonly cutId: Uint8Array | undefined;
  readonly validatorSetId: Uint8Array;
}

export interface Vote extends VoteContent {
  readonly validatorIndex: number;
  readonly signature: Uint8Array;
}

export function encodeVote(vote: Vote, path = 'vote'): Uint8Array {
  checkVote(vote, path);
  return writeContent(new Writer(VOTE_BYTES), vote, path)
    .u16(vote.validatorIndex)
    .raw(expectBytes(vote.validatorSetId, `${path}.validatorSetId`, ID_BYTES))
    .raw(expectBytes(vote.signature, `${path}.signature`, SIGNATURE_BYTES))
    .finish();
}

export function decodeVote(bytes: Uint8Array, path = 'vote'): Vote {
  const reader = new Reader(expectBytes(bytes, path, VOTE_BYTES), path);
  const vote: Vote = {
    kind: decodeKind(reader.u8(), path),
    height: reader.u64(),
    round: reader.u32(),
    validRound: reader.i32(),
    cutId: decodeTarget(reader.u8(), reader.raw(ID_BYTES), path),
    validatorIndex: reader.u16(),
    validatorSetId: reader.raw(ID_BYTES),
    signature: reader.raw(SIGNATURE_BYTES),
  };
  reader.end();
  checkVote(vote, path);
  return vote;
}

/** What the validator's key signs under the context `svc/vote/v1`. */
export function voteSignBytes(vote: VoteContent, chainId: Uint8Array, path = 'vote'): Uint8Array {
  const writer = new Writer(256)
    .raw(expectBytes(chainId, 'chainId', ID_BYTES))
    .raw(expectBytes(vote.validatorSetId, `${path}.validatorSetId`, ID_BYTES));
  return writeContent(writer, vote, path).finish();
}

/** Whether the vote is of a member of this set. */
export function verifyVote(vote: Vote, chainId: Uint8Array, set: ValidatorSet): boolean {
  if (!equalBytes(vote.validatorSetId, set.id)) return false;
  const message = voteSignBytes(vote, chainId);
  return verifyByValidator(set, vote.validatorIndex, message, CONTEXTS.vote, vote.signature);
}

function writeContent(writer: Writer, vote: VoteContent, path: string): Writer {
  return writer
    .u8(VOTE_KINDS[vote.kind])
    .u64(vote.height)
    .u32(vote.round)
    .i32(vote.validRound)
    .u8(vote.cutId === undefined ? 0 : 1)
    .raw(expectBytes(vote.cutId ?? NIL, `${path}.cutId`, ID_BYTES));
}

function decodeKind(kind: number, path: string): VoteKind {
  const found = `expected kind 1 or 2, found ${kind}`;
  expectThat(kind === PREVOTE || kind === PRECOMMIT, 'bad_cut', found, `${path}.kind`);
  return kind === PREVOTE ? 'prevote' : 'precommit';
}

function decodeTarget(flag: number, cutId: Uint8Array, path: string): Uint8Array | undefined {
  expectThat(flag <= 1, 'not_canonical', `expected flag 0 or 1, found ${flag}`, `${path}.flag`);
  if (flag === 1) return cutId;
  const isNil = cutId.every((byte) => byte === 0);
  expectThat(isNil, 'not_canonical', 'a nil vote has 48 zero bytes', `${path}.cutId`);
  return undefined;
}

function checkVote(vote: Vote, path: string): void {
  expectAtMost(vote.round, ROUND_MAX, `${path}.round`);
  expectAtMost(vote.validatorIndex, VALIDATORS_MAX - 1, `${path}.validatorIndex`);
  const carriesRound = vote.kind === 'prevote' && vote.cutId !== undefined;
  checkValidRound(vote.validRound, carriesRound ? vote.round : 0, `${path}.validRound`);
}

/** A valid round is `NO_ROUND` or a round before the given one. */
export function checkValidRound(validRound: number, round: number, path: string): void {
  const holds = validRound >= NO_ROUND && validRound < round;
  const found = `expected ${NO_ROUND} to ${round - 1}, found ${validRound}`;
  expectThat(holds, 'bad_cut', found, path);
}
