/**
 * Proofs of what a node says, and files from which they are made again without it. `svc-client/evidence`.
 */
export type {
  Claim,
  Evidence,
  ProofResult,
  RecordedAnswer,
  Report,
  Step,
  TrustDocument,
} from './evidence/claims.ts';
export { type CutOutcome, outcomeRoot, readOutcomePages } from './evidence/cut-outcomes.ts';
export { type ProofPorts, proveClaim, replayEvidence } from './evidence/run-proof.ts';
export {
  EVIDENCE_CHARACTERS_MAX,
  parseCheckpoint,
  parseEvidence,
  type VerifiedEvidence,
  type VerifyEvidenceOptions,
  verifyEvidence,
} from './evidence/verify-evidence.ts';
