/**
 * How the committee agrees on the next cut.
 */

export type { Attendance, AttendanceRule } from './attendance/attendance.ts';
export {
  ATTENDANCE_RULE,
  creditSigners,
  hasAttended,
  startAttendance,
  windowOf,
  windowsPresent,
} from './attendance/attendance.ts';
export type { SignersClaim, SignersVerdict } from './attendance/previous-signers.ts';
export { checkPreviousSigners, isClaimProven } from './attendance/previous-signers.ts';
export type { InvariantCode } from './base/assertion.ts';
export { FinalityAssertionError } from './base/assertion.ts';
export type { Certificate, CertificateFault, VoteVerifier } from './base/certificate.ts';
export {
  checkCertificate,
  commitCertificateOf,
  polkaCertificateOf,
  trimCertificate,
  votedBy,
  votesOf,
} from './base/certificate.ts';
export * as limits from './base/limits.ts';
export type {
  CommitCertificate,
  MessageKind,
  PolkaCertificate,
  Proposal,
  RoundSummary,
  Signature,
  SignedMessage,
  Summary,
  UnsignedMessage,
  UnsignedProposal,
  UnsignedVote,
  Vote,
} from './base/messages.ts';
export { isWellFormed, sameSignedBytes, withSignature } from './base/messages.ts';
export type { RoundTimer, Timing } from './base/timing.ts';
export { roundTimerMs, TIMING } from './base/timing.ts';
export type {
  Bitmap,
  CutId,
  Height,
  Round,
  Step,
  ValidatorIndex,
  Value,
  VoteKind,
} from './base/types.ts';
export { FIRST_ROUND, height, NIL, NO_ROUND, nextHeight, nextRound, round } from './base/types.ts';
export type { ValidatorSet } from './base/validator-set.ts';
export {
  bitOf,
  createValidatorSet,
  hasHonest,
  isBitSet,
  isMember,
  isQuorum,
  isWithinSet,
  membersOf,
  stakeOf,
  stakeOfBitmap,
} from './base/validator-set.ts';
export type { Evidence, EvidenceFault, EvidencePorts } from './evidence/evidence.ts';
export {
  checkEvidence,
  createEvidence,
  evidenceAgeMax,
  offenceKey,
} from './evidence/evidence.ts';
export type { Acceptance, EvidenceRegister } from './evidence/evidence-register.ts';
export {
  acceptEvidence,
  EVIDENCE_PER_CUT_MAX,
  forgetOldOffences,
} from './evidence/evidence-register.ts';
export type { DigestEntry, VoteDigest } from './evidence/vote-memory.ts';
export { disputedIn, HEIGHTS_REMEMBERED, VoteMemory } from './evidence/vote-memory.ts';
export type { PreviousCommits } from './keeper/previous-commits.ts';
export {
  createPreviousCommits,
  keepClaimedRound,
  keepPreviousCommit,
  previousCommitsOf,
  previousSigners,
  previousVotes,
} from './keeper/previous-commits.ts';
export type { Conflict, KeeperChange, VoteKeeper } from './keeper/vote-keeper.ts';
export { createVoteKeeper, keepPolka } from './keeper/vote-keeper.ts';
export { isTimeAllowed, isTimely, proposedTime } from './pace/cut-time.ts';
export type { Pace } from './pace/pace.ts';
export { dueAt, paceAfter, startAt } from './pace/pace.ts';
export { ELIGIBILITY_CUTS, ELIGIBILITY_LAG, eligibleProposers } from './proposer/eligibility.ts';
export { createProposerTable, EPOCH_CUTS, proposerOrder } from './proposer/proposer-table.ts';
export type { ConsensusKey, KeyLock, SignStateStorage } from './signer/ports.ts';
export type { RefusalReason, SignPosition, SignRequest, SignState } from './signer/sign-state.ts';
export {
  decideSigning,
  SILENT_FOR_GOOD,
  SILENT_UNTIL_CURRENT,
  signStepOf,
} from './signer/sign-state.ts';
export { decodeSignState, encodeSignState } from './signer/sign-state-codec.ts';
export type {
  OpenFault,
  OpenOptions,
  OpenResult,
  SignerPorts,
  SignResult,
} from './signer/signer.ts';
export { openSigner, SILENT_CUTS, Signer } from './signer/signer.ts';
export type {
  FoundLog,
  LogSources,
  StartFault,
  StartResult,
  StartSources,
} from './signer/start-validator.ts';
export { readInputs, startFromLog, startValidator } from './signer/start-validator.ts';
export type { Admission } from './step/admission.ts';
export { admit, admitPolka } from './step/admission.ts';
export type { Effect, PeerMessage } from './step/effects.ts';
export type { Guards } from './step/guards.ts';
export { GUARDS } from './step/guards.ts';
export type { Input, InputType, Verdict } from './step/inputs.ts';
export type { Recovery, RecoverySource } from './step/recover.ts';
export { recover } from './step/recover.ts';
export type {
  FinalityState,
  HeightContext,
  Lock,
  RoundState,
  ValidValue,
} from './step/state.ts';
export { proposerOf } from './step/state.ts';
export type { StepResult } from './step/step.ts';
export { initialState, RULES, step } from './step/step.ts';
export { ROWS, type Row, type Rules } from './step/transition.ts';
export type { HeaderChainFault, HeaderLink } from './sync/header-chain.ts';
export { checkHeaderChain, checkLinks, HEADERS_PER_REQUEST_MAX } from './sync/header-chain.ts';
export type { LightClock, LightFault, NamedSet, TrustedHeader } from './sync/light-client.ts';
export { checkLightStep } from './sync/light-client.ts';
export {
  decodeCommitCertificate,
  decodePolkaCertificate,
  encodeCertificate,
} from './wire/certificate-bytes.ts';
export type { BlockMessage, BlocksRequest, EncodedCut } from './wire/cut-bytes.ts';
export {
  BLOCKS_PER_REQUEST_MAX,
  CUT_BODY_BYTES_MAX,
  CUT_BYTES_MAX,
  decodeCut,
} from './wire/cut-bytes.ts';
export type { CutMessage, CutRequest, Decision, ProposalWithCut } from './wire/cut-messages.ts';
export { decodeEvidence, encodeEvidence, evidenceFields } from './wire/evidence-bytes.ts';
export { decodeHeightContext, encodeHeightContext } from './wire/height-context.ts';
export type { LoggedInput } from './wire/log-input.ts';
export { decodeInput, encodeInput } from './wire/log-input.ts';
export { evidencePorts, verifySigned, voteVerifier } from './wire/message-verifier.ts';
export type { PolkaRequest, PrecommitsRequest, WireMessage } from './wire/peer-message.ts';
export { decodeMessage, encodeMessage } from './wire/peer-message.ts';
export type { EvidenceMessage, HeardDigest, VoteReport } from './wire/report-bytes.ts';
export { REPORT_DIGESTS_MAX, REPORT_HEARD_MAX } from './wire/report-bytes.ts';
export {
  decodeProposal,
  decodeVote,
  encodeSigned,
  signatureContext,
  signedBytesOf,
} from './wire/signed-message.ts';
export { decodeSummary, encodeSummary, SUMMARY_BYTES_MAX } from './wire/summary-bytes.ts';
export { TAGS, WIRE_BYTES_MAX, WIRE_MESSAGE_BYTES_MAX } from './wire/tags.ts';
export type { SignatureVerdict } from './wire/verifier.ts';
export { Verifier } from './wire/verifier.ts';
export type { WireContext } from './wire/wire-context.ts';
export { machineSet } from './wire/wire-context.ts';
