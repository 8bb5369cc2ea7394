/**
 * Checks claims against one certified head: the code that proves what a node answers, and that proves a file again.
 */
import { type CertifiedCut, certifyEarlierCuts, type Network } from 'svc-wasm';
import { decodeNetworkAddress } from 'svc-wasm/base';
import { decodeCutHeader, type ValidatorSet } from 'svc-wasm/protocol';
import type { Claim, ClaimProof, Line, Parts, ProofResult, Step } from './claims.ts';
import { type AnswerClaim, checkAnswer } from './proofs/answer.ts';
import { CUT, HEAD, STAKE, VALIDATORS } from './proofs/chain.ts';
import {
  type ClaimKind,
  cutName,
  givenProof,
  type Proven,
  type ProvenChain,
  type ProvenCut,
  some,
} from './proofs/kind.ts';
import { OUTCOME, PAYMENT, PAYMENTS } from './proofs/payments.ts';
import { BALANCE, COMPLETENESS, OUTPUT } from './proofs/state.ts';
import { SUPPLY } from './proofs/supply.ts';
import { TRANSACTION } from './proofs/transaction.ts';
import { Contradiction, Unprovable } from './verdicts.ts';

/** Claims that rest on cuts, not on the identity of a node. */
export type ChainClaim = Exclude<Claim, AnswerClaim>;

const KINDS: { readonly [K in ChainClaim['kind']]: unknown } = {
  head: HEAD,
  cut: CUT,
  balance: BALANCE,
  completeness: COMPLETENESS,
  output: OUTPUT,
  transaction: TRANSACTION,
  outcome: OUTCOME,
  payment: PAYMENT,
  payments: PAYMENTS,
  validators: VALIDATORS,
  stake: STAKE,
  supply: SUPPLY,
};

/** Kinds whose proofs are of the node's present state: one of an earlier cut conceals what came after it. */
const CURRENT: readonly Claim['kind'][] = ['balance', 'completeness', 'output', 'supply'];

export function kindOf({ kind }: ChainClaim): ClaimKind<ChainClaim> {
  return KINDS[kind] as ClaimKind<ChainClaim>;
}

export function isCurrent({ kind }: Claim): boolean {
  return CURRENT.includes(kind);
}

/** The cuts that a proof is about. */
export function heightsOf({
  claim,
  height,
}: Pick<ClaimProof, 'claim' | 'height'>): readonly number[] {
  if (claim.kind === 'answer') return [];
  return kindOf(claim).heights?.(claim) ?? (height === null ? [] : [height]);
}

/** A head whose signatures were checked here, with its header and the set that signed it. */
export interface SignedHead {
  readonly network: Network;
  readonly cut: CertifiedCut;
  readonly header: Uint8Array;
  readonly set: ValidatorSet;
}

/** Cuts before the head, with the path that leads to them from it. */
export interface EarlierCuts {
  readonly headers: readonly Uint8Array[];
  readonly path: Uint8Array;
}

/** Throws unless the path leads from the head to the headers. */
export function provenChain(head: SignedHead, earlier: EarlierCuts | undefined): ProvenChain {
  const cuts = new Map<number, ProvenCut>();
  const add = (cut: CertifiedCut, header: Uint8Array) =>
    cuts.set(Number(cut.height), { cut, header: decodeCutHeader(header) });
  add(head.cut, head.header);
  if (earlier !== undefined) {
    const { headers, path } = earlier;
    for (const [at, cut] of certifyEarlierCuts(head.cut, headers, path).entries())
      add(cut, headers[at] as Uint8Array);
  }
  const cutAt = (height: number): ProvenCut => {
    const found = cuts.get(height);
    if (found === undefined) throw new Unprovable(`no path leads to cut ${height}`);
    return found;
  };
  return { network: head.network, head: head.cut, set: head.set, cutAt };
}

/** Checks one claim; throws unless its proof holds. */
export function checkClaim(
  { claim, height, parts }: ClaimProof,
  chain: ProvenChain | undefined,
): { readonly result: ProofResult; readonly proven: Proven<unknown> } {
  if (claim.kind === 'answer') {
    const given = givenProof(0, parts);
    const proven = checkAnswer(claim, given);
    given.expectAllUsed();
    const { facts, lines, value } = proven;
    return { result: { verdict: 'signed', height: value, facts, lines }, proven };
  }
  if (chain === undefined) throw new Unprovable('the file has no head');
  const { network } = chain;
  const address = 'to' in claim ? claim.to : 'address' in claim ? claim.address : undefined;
  if (address !== undefined && decodeNetworkAddress(address).network !== network)
    throw new Contradiction(`the address is of another network than ${network}`);
  const at = height ?? Number(chain.head.height);
  const given = givenProof(at, parts);
  const proven = kindOf(claim).check(claim, given, chain);
  given.expectAllUsed();
  const { facts, lines } = proven;
  return { result: { verdict: 'checked', height: at, facts, lines }, proven };
}

/** What the cuts rest on that claims are about: the path to them, and the signatures of the head. */
export function basisOf(head: SignedHead, earlier: EarlierCuts | undefined): Line[] {
  const { cut } = head;
  const name = cutName(cut.height);
  const signatures = {
    says: `${name.slice(0, 1).toUpperCase()}${name.slice(1)} is final: ${signedBy(cut)} signed it.`,
    restsOn: `${some(cut.signers.length, 'ML-DSA-65 signature')} over its id ${cut.cutId}, checked here`,
  };
  if (earlier === undefined) return [signatures];
  const { headers, path } = earlier;
  return [
    {
      says: `${some(headers.length, 'earlier cut')} named here ${headers.length === 1 ? 'is' : 'are'} part of the history of ${name}.`,
      restsOn: `a path of ${path.length} bytes of hashes from the history root in the header of ${name}; it needs no other signature`,
    },
    signatures,
  ];
}

export function signedBy({ signers, signedStake, totalStake }: CertifiedCut): string {
  const share = Number((signedStake * 1_000n) / totalStake) / 10;
  return `${some(signers.length, 'validator')} with ${share} % of the stake`;
}

export function signatureDetail({ signers, signedStake, totalStake }: CertifiedCut): string {
  const share = Number((signedStake * 1_000n) / totalStake) / 10;
  return `${signers.length} ML-DSA-65 signatures with ${share} % of the stake hold`;
}

/** The encoded sizes of the parts of a proof. */
export function sizeDetail(parts: Parts): string {
  const sizes = Object.values(parts).map(({ length }) => length);
  return `${sizes.reduce((sum, size) => sum + size, 0)} characters of proof`;
}

/** Does one step and reports it; `detail` says what was found. */
export type TakeStep = <T>(
  title: string,
  run: () => Promise<readonly [T, string]> | readonly [T, string],
) => Promise<T>;

/** Every step has a title, what it found, how much it read and how long it took; one that fails is reported and throws. */
export function stepTaker(
  onStep: (step: Step) => void,
  clock: () => number,
  read: { readonly bytes: number } = { bytes: 0 },
): TakeStep {
  return async (title, run) => {
    const began = clock();
    const before = read.bytes;
    const report = (detail: string, isOk: boolean) =>
      onStep({ title, detail, bytes: read.bytes - before, millis: clock() - began, isOk });
    try {
      const [value, detail] = await run();
      report(detail, true);
      return value;
    } catch (error) {
      report(error instanceof Error ? error.message : String(error), false);
      throw error;
    }
  };
}

/** The result of a whole report or file: the first claim that does not hold, or the first of all. */
export function overall(claims: readonly { readonly result: ProofResult }[]): ProofResult {
  const holds = ({ verdict }: ProofResult) => verdict === 'checked' || verdict === 'signed';
  const wrong = claims.find(({ result }) => result.verdict === 'wrong');
  const failed = wrong ?? claims.find(({ result }) => !holds(result)) ?? claims[0];
  return failed?.result ?? { verdict: 'unproven', reason: 'nothing is claimed' };
}
