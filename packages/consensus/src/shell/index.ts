/**
 * A validator with one consensus key, behind ports.
 */
export { type Later, whenReady } from './base/later.ts';
export type { HeartbeatOptions, HeartbeatState } from './heartbeat/heartbeat-sender.ts';
export { HeartbeatSender, holderOf, isReplaced } from './heartbeat/heartbeat-sender.ts';
export { DecidedCutFaultError } from './heights/height-change.ts';
export type {
  RemoteSigner,
  SeatKey,
  SignStateChoice,
  ValidatorFaults,
  ValidatorOptions,
  ValidatorPorts,
  ValidatorStatus,
  VotingKey,
} from './options.ts';
export type { InboxLimits } from './peers/inbox.ts';
export { LocalVoteChecks } from './peers/local-vote-checks.ts';
export { QUESTION_UNITS, type QuestionUnits } from './peers/question-budget.ts';
export {
  type BlockBytes,
  type BlockPeers,
  NO_BLOCK_PEERS,
  type PooledBlock,
  type ValidatorBlocks,
} from './ports/blocks.ts';
export type {
  BuildRequest,
  CutExecution,
  EvaluateOptions,
  Evaluation,
  FinalCut,
  NextHeight,
  StoredDecision,
  ValidatorChain,
} from './ports/chain.ts';
export type { EvidenceRecords, HeightRecords, LogFile, ValidatorFiles } from './ports/files.ts';
export type {
  FeeCoin,
  HeartbeatAdmission,
  HeartbeatChain,
  HeartbeatMempool,
  HeartbeatRecord,
  HeartbeatStore,
} from './ports/heartbeat.ts';
export type {
  MessageCodec,
  OverlayListener,
  OverlayMember,
  ValidatorOverlay,
  VoteChecks,
} from './ports/overlay.ts';
export type { ValidatorProbe } from './ports/probe.ts';
export { FrameSplitter, framed } from './remote/frame-splitter.ts';
export {
  decodeAnswer,
  decodeRequest,
  encodeAnswer,
  encodeRequest,
  FRAME_BYTES_MAX,
  isSigningRefusal,
  SIGNER_PROTOCOL_VERSION,
  type SignerAnswer,
  type SignerRefusal,
  type SignerRequest,
  type SigningRequest,
} from './remote/frames.ts';
export {
  type SessionOptions,
  type SessionPorts,
  SignerLease,
  SignerSession,
} from './remote/signer-session.ts';
export {
  CONNECTIONS_MAX,
  type DeskConnection,
  type DeskLink,
  type DeskPorts,
  KEEP_MILLIS,
  LEASE_MILLIS,
  SigningDesk,
} from './remote/signing-desk.ts';
export { committeeOf } from './start/committee.ts';
export { EvidenceFiles, type EvidenceFilesPorts } from './start/evidence-files.ts';
export { HeightFiles, type HeightFilesPorts } from './start/height-files.ts';
export { nextRecord } from './start/next-record.ts';
export { indexIn } from './start/open-validator.ts';
export { ValidatorHistoryError, ValidatorStartError } from './start/start-error.ts';
export {
  accountOf,
  HOLD_BACK_MILLIS,
  isReportSettled,
  KEY_RULES,
  rulesFor,
  START_LOOK_MILLIS,
  timingFor,
  type ValidatorRules,
} from './start/timing.ts';
export { Validator } from './validator.ts';
export { ValidatorKey } from './validator-key.ts';
