/**
 * For each mutant the first seed, with 3 to 10 validators, that kills it.
 */
export const KILLERS: Readonly<Record<string, number>> = {
  noLockCheck: 106,
  noLockSet: 106,
  halfQuorum: 2,
  line29Dropped: 520,
  polkaNotChecked: 35,
  invalidPrevoted: 10,
  timerNotCancelled: 12,
  skipByHeads: 25,
  syncSkipped: 1,
  logNotSynced: 1,
  signBeforeSync: 1,
  lockNotPersisted: 487,
  noPolkaCertificate: 20,
  signersCountedTwice: 3,
  signaturesNotChecked: 3,
  bitmapNotChecked: 10,
  evidenceTwice: 6,
  windowOffByOne: 1,
  wrongSetAtBoundary: 17,
  timeNotChecked: 62,
};
