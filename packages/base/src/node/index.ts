/**
 * What shells on Node share: files that survive a crash, connection limits, servers at an
 * address, metrics, certificates and their fingerprints, password hashing, functions of the machine's libraries, huge pages, the
 * release of a program, the life of another process.
 */
export { ConfigError, SecretFileError } from './config-error.ts';
export { ConnectionLimit, type ConnectionLimitOptions } from './connection-limit.ts';
export {
  createSecret,
  makeDirectory,
  readBounded,
  readSecret,
  replaceFile,
  replaceFileSync,
  syncDirectory,
  syncDirectorySync,
  syncTreeSync,
} from './files.ts';
export { foreignFunctions } from './foreign-functions.ts';
export { askForHugePages } from './huge-pages.ts';
export { type Bind, type Listening, listenAt } from './listen-at.ts';
export { LogFile, type LogFileOptions, scanLogFile } from './log-file.ts';
export { namesListener } from './named-host.ts';
export { letOutsideMemoryGrow } from './outside-memory.ts';
export { type Argon2Cost, NATIVE_PASSWORD_HASH } from './password-hash.ts';
export { fingerprintOf, parseFingerprint, peerFingerprint } from './pinned-tls.ts';
export { isAlive, ownStart, startOf } from './process-life.ts';
export { releaseOf } from './release.ts';
export {
  type MetricsServer,
  type MetricsServerOptions,
  openReportListener,
  type ReportListenerOptions,
  type ReportPage,
  startMetricsServer,
} from './report-listener.ts';
export { readPasswordFile, readSecretFile } from './secret-file.ts';
export { selfSigned } from './self-signed.ts';
