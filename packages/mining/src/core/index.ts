/**
 * svc-mining: the mining protocol without sockets, clocks or threads. Messages in both forms, both ends of a session,
 * the server's jobs and prefixes, difficulty, bans, and the arithmetic of a pool's rewards.
 */

export { BanBook, type BanOptions, OFFENCES, type Offence } from './effort/ban-book.ts';
export { difficultyOf, targetBytes, targetNumber, targetOf } from './effort/difficulty.ts';
export { RateLimit, type RateLimitOptions } from './effort/rate-limit.ts';
export { SHARE_MILLIS, Vardiff, type VardiffOptions } from './effort/vardiff.ts';
export {
  headerWith,
  isClosed,
  type Job,
  JobBook,
  type JobBookOptions,
  type JobPlace,
  JobSeries,
  type JobState,
} from './jobs/job-book.ts';
export { judgeShare, type ShareVerdict } from './jobs/judge-share.ts';
export { hasPrefix, NoncePrefixes, wholeNonce } from './jobs/nonce-prefixes.ts';
export {
  type Distribution,
  type DistributionRequest,
  distribute,
  PplnsWindow,
  type WindowEntry,
  windowOf,
} from './rewards/pplns.ts';
export {
  closeRound,
  FIRST_ROOT,
  parsePayoutText,
  payoutText,
  type Round,
  type RoundEntry,
  type RoundMode,
  type RoundTerms,
  roundFaults,
  roundRoot,
} from './rewards/round.ts';
export {
  type RoundDocument,
  readRoundDocument,
  roundDocument,
} from './rewards/round-document.ts';
export {
  type ClientEffect,
  ClientSession,
  type ClientSessionOptions,
  type FoundShare,
} from './session/client-session.ts';
export { isSameHost } from './session/same-host.ts';
export {
  noticeOf,
  type PendingShare,
  type ServerEffect,
  ServerSession,
  type ServerSessionOptions,
  type ServerSessionPorts,
  type ShareOutcome,
} from './session/server-session.ts';
export {
  type Session,
  SessionBook,
  type SessionBookOptions,
  type SessionBookPorts,
} from './session/session-book.ts';
export { type Miner, type ParsedUsername, parseUsername } from './session/username.ts';
export { decodeFrame, encodeFrame } from './wire/binary-frame.ts';
export { decodeLine, encodeLine } from './wire/json-line.ts';
export {
  HEADER_BYTES,
  MESSAGE_BYTES_MAX,
  NONCE_BYTES,
  NONCE_FREE_BYTES,
  NONCE_OFFSET,
  NONCE_PREFIX_BYTES,
  TARGET_BYTES,
  WORKER_CHARACTERS_MAX,
} from './wire/limits.ts';
export { encodeMessage, MessageStream } from './wire/message-stream.ts';
export {
  type Authorize,
  type Authorized,
  BLOCK_RESULTS,
  type BlockResult,
  type ClientMessage,
  MESSAGE_KINDS,
  type Message,
  type MessageKind,
  type Notify,
  PROTOCOLS,
  type Protocol,
  type Refused,
  type ServerMessage,
  type Submit,
  type Submitted,
  type Subscribe,
  type Subscribed,
} from './wire/messages.ts';
export { NotifyEncoder } from './wire/notify-encoder.ts';
export { REFUSAL_NAMES, REFUSALS, type Refusal, refusalOfCode } from './wire/refusals.ts';
export { lineSchema } from './wire/schema.ts';
