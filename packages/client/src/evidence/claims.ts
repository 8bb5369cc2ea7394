/**
 * What a reader can ask to be proven, and the results. These values travel between the page and its worker, and into
 * evidence files.
 */
import type { Network, OutcomeKind } from 'svc-wasm';

/** What a reader can ask to be proven. */
export type Claim =
  /** That the head which the node names was made final by the validators that the reader follows. */
  | { readonly kind: 'head' }
  | {
      readonly kind: 'cut';
      readonly height: number;
      readonly cutId: string;
      readonly stateRoot: string;
    }
  /** What an address has: the sum and the number of its unspent outputs. */
  | { readonly kind: 'balance'; readonly address: string }
  /** Each unspent output of an address, and that there is no other. */
  | { readonly kind: 'completeness'; readonly address: string }
  /** That an output is unspent, at which address, and of which amount. */
  | { readonly kind: 'output'; readonly transactionId: string; readonly outputIndex: number }
  /** That a transaction is what it is shown as, and what became of it. */
  | { readonly kind: 'transaction'; readonly id: string }
  /** What a cut did with a transaction, also that it refused it. */
  | {
      readonly kind: 'outcome';
      readonly transactionId: string;
      readonly height: number;
      readonly outcome: OutcomeKind;
    }
  /** That a transaction paid an amount, in atoms, to an address; with it who paid, when, and with which note. */
  | {
      readonly kind: 'payment';
      readonly transactionId: string;
      readonly to: string;
      readonly amount: string;
    }
  /** Everything that came to an address and left it from one height to another, both included. */
  | {
      readonly kind: 'payments';
      readonly address: string;
      readonly fromHeight: number;
      readonly toHeight: number;
    }
  /** Who signs, and with how much stake. */
  | { readonly kind: 'validators' }
  /** That a validator signs, and with how much stake. */
  | { readonly kind: 'stake'; readonly validatorId: string }
  /** What was minted, and where all of it is. */
  | { readonly kind: 'supply' }
  /** That the node signs what it answers; nothing says that the answer is true. */
  | { readonly kind: 'answer'; readonly target: string; readonly identity: string | undefined };

/** One step of a proof, as it is shown to a reader. */
export interface Step {
  readonly title: string;
  readonly detail: string;
  /** How much of answers the step read. */
  readonly bytes: number;
  readonly millis: number;
  readonly isOk: boolean;
}

/** Facts that the proof established, to be shown; amounts in atoms. */
export type Facts = Readonly<Record<string, string>>;

/** One sentence that a proof shows to be true, and what it rests on. */
export interface Line {
  readonly says: string;
  readonly restsOn: string;
}

/** What became of a claim. */
export type ProofResult =
  /** Every step ran here and holds. */
  | {
      readonly verdict: 'checked';
      readonly height: number;
      readonly facts: Facts;
      readonly lines: readonly Line[];
    }
  /** The node has put its signature under the answer. */
  | {
      readonly verdict: 'signed';
      readonly height: number;
      readonly facts: Facts;
      readonly lines: readonly Line[];
    }
  /** What the node says contradicts what can be proven. */
  | { readonly verdict: 'wrong'; readonly reason: string }
  /** Neither proven nor refuted: the node gave no proof, or none is possible. */
  | { readonly verdict: 'unproven'; readonly reason: string; readonly isTrustExpired?: boolean };

/** A claim and what became of it. */
export interface ClaimResult {
  readonly claim: Claim;
  readonly result: ProofResult;
}

/** The cut that everything rests on, and how far the reader has come from it. */
export interface TrustDocument {
  readonly format: 'svc-trust-v1';
  readonly network: string;
  readonly chainId: string;
  /** Where the reader began: the cut that was trusted on the node's word. */
  readonly pinnedHeight: number;
  readonly pinnedCutId: string;
  readonly pinnedAtMillis: number;
  /** The cut that the reader pinned first, where later pins replaced it: a path showed that it is part of their chain. */
  readonly earliest?: { readonly height: number; readonly cutId: string };
  /** The highest cut certified so far, and the set that signs after it, as `svc-wasm` keeps it. */
  readonly height: number;
  readonly cutId: string;
  readonly trusted: string;
}

/** The parts of one proof by their names: bytes in hexadecimal, or what a node signed as text. */
export type Parts = Readonly<Record<string, string>>;

/** A claim with what leads from it to a cut. */
export interface ClaimProof {
  readonly claim: Claim;
  /** The cut that the proof leads to; null for the head of the file, and for what a node signed. */
  readonly height: number | null;
  readonly parts: Parts;
}

/** The cut that all claims of a file rest on, with its certificate and the validator set that signed it, in hexadecimal. */
export interface EvidenceHead {
  readonly network: Network;
  readonly chainId: string;
  readonly header: string;
  readonly certificate: string;
  readonly validatorSet: string;
}

/** Headers of cuts before the head, heights ascending, and the path that leads to them from the head; in hexadecimal. */
export interface EvidenceHistory {
  readonly headers: readonly string[];
  readonly path: string;
}

/**
 * An evidence file: claims with their proofs, and one head for all of them. Without certificate and validator set it has at
 * most 64 KB.
 */
export interface Evidence {
  readonly format: 'svc-evidence-v1';
  readonly atMillis: number;
  /** Null in a file of answers that a node signed: these rest on its identity. */
  readonly head: EvidenceHead | null;
  /** Null if no claim is about a cut before the head. */
  readonly history: EvidenceHistory | null;
  readonly claims: readonly ClaimProof[];
}

/** Proofs with every step reported. */
export interface Report {
  /** The first claim that does not hold, or the first of all. */
  readonly result: ProofResult;
  readonly claims: readonly ClaimResult[];
  /** What the cuts rest on that the claims are about. */
  readonly basis: readonly Line[];
  readonly steps: readonly Step[];
  readonly trust: TrustDocument | undefined;
  /** Undefined unless every claim holds and the file has at most 64 KB without certificate and validator set. */
  readonly evidence: Evidence | undefined;
}

const TEXT_CHARACTERS_MAX = 256;

/** Fields of each kind of claim, by the type that `typeof` names. */
const CLAIM_FIELDS: Readonly<Record<Claim['kind'], Readonly<Record<string, string>>>> = {
  head: {},
  validators: {},
  supply: {},
  cut: { height: 'number', cutId: 'string', stateRoot: 'string' },
  balance: { address: 'string' },
  completeness: { address: 'string' },
  output: { transactionId: 'string', outputIndex: 'number' },
  transaction: { id: 'string' },
  outcome: { transactionId: 'string', height: 'number', outcome: 'string' },
  payment: { transactionId: 'string', to: 'string', amount: 'string' },
  payments: { address: 'string', fromHeight: 'number', toHeight: 'number' },
  stake: { validatorId: 'string' },
  answer: { target: 'string' },
};

/** Whether a value is a claim, as a link or a file may hold it: known kind, each field there and bounded. */
export function isClaim(value: unknown): value is Claim {
  if (typeof value !== 'object' || value === null) return false;
  const kind = String(fieldOf(value, 'kind'));
  if (!Object.hasOwn(CLAIM_FIELDS, kind)) return false;
  const fields = Object.entries(CLAIM_FIELDS[kind as Claim['kind']]);
  return fields.every(
    ([name, type]) => typeof fieldOf(value, name) === type && isBounded(fieldOf(value, name)),
  );
}

const fieldOf = (value: object, name: string) => (value as Readonly<Record<string, unknown>>)[name];

/** A text of a claim or a checkpoint, or a count: nothing in them is long or negative. */
export function isBounded(value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0;
  return typeof value === 'string' && value.length <= TEXT_CHARACTERS_MAX;
}
