/**
 * Proofs of what a node says, and files from which they are made again without it. `svc-client/evidence`.
 */
export {
  type Claim,
  type ClaimProof,
  type ClaimResult,
  type Evidence,
  type EvidenceHead,
  type EvidenceHistory,
  type Facts,
  isClaim,
  type Line,
  type Parts,
  type ProofResult,
  type Report,
  type Step,
  type TrustDocument,
} from './evidence/claims.ts';
export { type CutOutcome, outcomeRoot, readOutcomePages } from './evidence/cut-outcomes.ts';
export { PAYMENTS_CUTS_MAX } from './evidence/proofs/payments.ts';
export {
  EVIDENCE_OWN_CHARACTERS_MAX,
  ownCharacters,
  type ProofPorts,
  proveClaim,
  proveClaims,
} from './evidence/prove-claims.ts';
export { renewTrust, trustNamedCut } from './evidence/trust.ts';
export {
  EVIDENCE_CHARACTERS_MAX,
  type EvidenceBase,
  parseCheckpoint,
  parseEvidence,
  type VerifiedEvidence,
  type VerifyEvidenceOptions,
  verifyEvidence,
} from './evidence/verify-evidence.ts';
