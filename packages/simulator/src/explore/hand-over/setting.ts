/**
 * The small world of two heights: four validators of equal stake, the last one Byzantine. The first height decides the
 * first cut in one of two rounds; the header of the second height claims who signed it.
 */
import {
  admit,
  type CommitCertificate,
  type CutId,
  checkPreviousSigners,
  commitCertificateOf,
  type Effect,
  type Height,
  type HeightContext,
  height,
  type Input,
  limits,
  type Proposal,
  polkaCertificateOf,
  RULES,
  recover,
  round,
  type Value,
  type Vote,
  type VoteKind,
} from 'svc-consensus/machine';
import { BYZANTINE, CUTS, HONEST, SET } from '../search/universe.ts';

export const FIRST = height(1);
export const SECOND = height(2);
export const DECIDED = CUTS[0] as CutId;
export const NEXT_CUT = CUTS[1] as CutId;
/** At the first height the Byzantine validator proposes in every fourth round from round 0 on, at the second one last. */
const FIRST_PROPOSERS: readonly number[] = [BYZANTINE, ...HONEST];
const SECOND_PROPOSERS: readonly number[] = [...HONEST, BYZANTINE];
/** Rounds in which only the Byzantine validator precommits: as many as fill every table that a bound is set for. */
export const JUNK_ROUNDS: readonly number[] = Array.from(
  { length: limits.SUMMARY_ROUNDS_MAX - 1 },
  (_, index) => 100 + index,
);

/** The shipped functions by which heights are handed over, so that a control can break one of them. */
export interface HandOver {
  readonly admit: typeof admit;
  readonly recover: typeof recover;
  readonly checkPreviousSigners: typeof checkPreviousSigners;
  /** What a validator sends to others that ask. */
  readonly answers: (effects: readonly Effect[]) => readonly Effect[];
}

export const HAND_OVER: HandOver = {
  admit,
  recover: (source) => recover(source, RULES),
  checkPreviousSigners,
  answers: (effects) => effects,
};

export function contextOf(at: Height, self: number): HeightContext {
  const proposers = at === FIRST ? FIRST_PROPOSERS : SECOND_PROPOSERS;
  return { height: at, set: SET, proposers, self, startAtMs: BigInt(at) };
}

export function voteOf(kind: VoteKind, by: number, at: number, value: Value, valid = -1): Vote {
  return {
    kind,
    height: FIRST,
    round: round(at),
    validRound: round(valid),
    value,
    validatorIndex: by,
    signature: Uint8Array.of(by),
  };
}

export function proposalOf(by: number, at: number, valid: number): Proposal {
  return { ...voteOf('prevote', by, at, DECIDED, valid), kind: 'proposal', value: DECIDED };
}

export function proposed(proposal: Proposal): Input {
  return { type: 'proposal', proposal, cutTimeMs: 0n, receivedAtMs: 0n };
}

/** The precommits of these validators for the decided cut in one round. */
export function commitOf(signers: readonly number[], at: number): CommitCertificate {
  const votes = signers.map((by) => voteOf('precommit', by, at, DECIDED));
  return commitCertificateOf(votes, DECIDED);
}

export function polkaOf(signers: readonly number[], at: number, valid: number): Input {
  const votes = signers.map((by) => voteOf('prevote', by, at, DECIDED, valid));
  return { type: 'polkaCertificate', certificate: polkaCertificateOf(votes, DECIDED) };
}
