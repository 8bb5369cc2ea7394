/**
 * What every kind of claim does: read its proof from a node, check it from its parts alone, and compare what the node shows
 * beside it. Checking asks for nothing, so a file is checked by the same code as an answer.
 */
import { type CertifiedCut, formatAmount, type Network } from 'svc-wasm';
import type { CutHeader, ValidatorSet } from 'svc-wasm/protocol';
import type { AnswerOf, RouteCalls } from '../../routes/route-types.ts';
import type { Claim, Facts, Line, Parts } from '../claims.ts';
import { Contradiction, Unprovable } from '../verdicts.ts';

export type Head = AnswerOf<'chainHead'>;

/** What a proof is read with. */
export interface ReadContext {
  readonly client: RouteCalls;
  readonly head: Head;
  /** Asks for an answer that the node signs; undefined headers are those that the answer lacks. */
  readonly askSigned: AskSigned;
}

export interface SignedAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | null>>;
  /** What the signature must cover, chosen for this very request. */
  readonly nonce: string;
}

export type AskSigned = (target: string) => Promise<SignedAnswer>;

/** A proof as a node gave it. */
export interface ReadProof<Value> {
  /** The cut that it leads to; null for the head that everything rests on, and for a signed answer. */
  readonly height: number | null;
  readonly parts: Parts;
  /** Compares what the node shows beside the proof with what was proven; returns what was compared. */
  compare?(value: Value, chain: ProvenChain): Promise<string> | string;
}

/** The cuts that proofs lead to, all certified. */
export interface ProvenChain {
  readonly network: Network;
  readonly head: CertifiedCut;
  /** The set that signed the head. */
  readonly set: ValidatorSet;
  /** Refuses a height that no header was given for. */
  readonly cutAt: (height: number) => ProvenCut;
}

/** A certified cut together with its header, whose fields the certificate covers. */
export interface ProvenCut {
  readonly cut: CertifiedCut;
  readonly header: CutHeader;
}

export interface Proven<Value> {
  readonly facts: Facts;
  readonly lines: readonly Line[];
  /** For the comparison with what the node shows. */
  readonly value: Value;
}

export interface ClaimKind<C extends Claim, Value = unknown> {
  read(context: ReadContext, claim: C): Promise<ReadProof<Value>>;
  /** Throws unless the parts prove the claim at the height. */
  check(claim: C, proof: GivenProof, chain: ProvenChain): Proven<Value>;
  /** The cuts that a proof is about, if not the one of its height. */
  heights?(claim: C): readonly number[];
}

/** The parts of a proof, each of which is there, and its height. */
export interface GivenProof {
  readonly height: number;
  readonly part: (name: string) => string;
  readonly optionalPart: (name: string) => string | undefined;
  /** Refuses parts that nothing was proven with. */
  readonly expectAllUsed: () => void;
}

export function givenProof(height: number, parts: Parts): GivenProof {
  const used = new Set<string>();
  const optionalPart = (name: string) => {
    used.add(name);
    return Object.hasOwn(parts, name) ? parts[name] : undefined;
  };
  const part = (name: string): string => {
    const found = optionalPart(name);
    if (found === undefined) throw new Unprovable(`the proof has no ${name}`);
    return found;
  };
  const expectAllUsed = () => {
    const unused = Object.keys(parts).find((name) => !used.has(name));
    if (unused !== undefined)
      throw new Unprovable(`nothing was proven with ${unused.slice(0, 32)} of the proof`);
  };
  return { height, part, optionalPart, expectAllUsed };
}

export function expectHeight(proof: GivenProof, height: number | bigint): void {
  if (BigInt(proof.height) !== BigInt(height))
    throw new Contradiction('the proof is of another height');
}

/** While cuts come quickly, two reads are rarely of one height. */
const TRIES = 12;

/** Reads until two documents are of one height. */
export async function atOneHeight<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await read();
    if (found !== undefined) return found;
  }
  throw new Unprovable('cuts come faster than the proof and the figures can be read at one height');
}

export function coins(atoms: bigint | string): string {
  return `${formatAmount(String(atoms)).replace(/\.?0+$/, '')} coins`;
}

export function cutName(height: number | bigint): string {
  return `cut ${height.toLocaleString('en')}`;
}

export function timeText(millis: bigint): string {
  return `${new Date(Number(millis)).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export function some(count: number, name: string): string {
  return `${count.toLocaleString('en')} ${name}${count === 1 ? '' : 's'}`;
}
