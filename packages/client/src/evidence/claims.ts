/**
 * What a reader can ask to be proven, and what comes of it. These values travel between the page and its worker, and into
 * evidence files.
 */

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
  /** What an address has: the sum, and that no output is missing from the lists. */
  | { readonly kind: 'balance'; readonly address: string }
  | { readonly kind: 'output'; readonly transactionId: string; readonly outputIndex: number }
  /** That a transaction is what it is shown as, and what became of it. */
  | { readonly kind: 'transaction'; readonly id: string }
  /** That a transaction paid an amount, in atoms, to an address; with it who paid, when, and with which note. */
  | {
      readonly kind: 'payment';
      readonly transactionId: string;
      readonly to: string;
      readonly amount: string;
    }
  /** Who signs, and with how much stake. */
  | { readonly kind: 'validators' }
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

/** What became of a claim. */
export type ProofResult =
  /** Every step ran here and holds. */
  | { readonly verdict: 'checked'; readonly height: number; readonly facts: Facts }
  /** The node has put its signature under the answer. */
  | { readonly verdict: 'signed'; readonly height: number; readonly facts: Facts }
  /** What the node says contradicts what can be proven. */
  | { readonly verdict: 'wrong'; readonly reason: string }
  /** Neither: the node gave no proof, or none is possible. */
  | { readonly verdict: 'unproven'; readonly reason: string; readonly isTrustExpired?: boolean };

/** The cut that everything rests on, and how far the reader has come from it. */
export interface TrustDocument {
  readonly format: 'svc-trust-v1';
  readonly network: string;
  readonly chainId: string;
  /** Where the reader began: the cut that was trusted on the node's word. */
  readonly pinnedHeight: number;
  readonly pinnedCutId: string;
  readonly pinnedAtMillis: number;
  /** The highest cut certified so far, and the set that signs after it, as `svc-wasm` keeps it. */
  readonly height: number;
  readonly cutId: string;
  readonly trusted: string;
}

/** One answer of the node that a proof was made of. */
export interface RecordedAnswer {
  readonly method: string;
  readonly target: string;
  readonly body: string | null;
  readonly status: number;
  readonly answer: string;
  /** Of an answer that the node signed. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** Everything a proof was made of, so that it can be made again without the node. */
export interface Evidence {
  readonly format: 'svc-evidence-v1';
  readonly atMillis: number;
  readonly claim: Claim;
  /** Null for a signed answer, which rests on an identity. */
  readonly trust: TrustDocument | null;
  readonly answers: readonly RecordedAnswer[];
}

/** A proof with every step reported. */
export interface Report {
  readonly result: ProofResult;
  readonly steps: readonly Step[];
  readonly trust: TrustDocument | undefined;
  readonly evidence: Evidence | undefined;
}
