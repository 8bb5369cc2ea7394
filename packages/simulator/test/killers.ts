/**
 * For each mutant the first seed, with 3 to 10 validators, that kills it.
 */
export const KILLERS: Readonly<Record<string, number>> = {
  noLockCheck: 60,
  noLockSet: 60,
  halfQuorum: 1,
  line29Dropped: 140,
  polkaNotChecked: 35,
  invalidPrevoted: 10,
  timerNotCancelled: 6,
  skipByHeads: 25,
  syncSkipped: 1,
  logNotSynced: 1,
  signBeforeSync: 1,
  lockNotPersisted: 572,
  noPolkaCertificate: 48,
  signersCountedTwice: 3,
  signaturesNotChecked: 3,
  bitmapNotChecked: 10,
  evidenceTwice: 6,
  windowOffByOne: 2,
  wrongSetAtBoundary: 32,
  timeNotChecked: 62,
};
