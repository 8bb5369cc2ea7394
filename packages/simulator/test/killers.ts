/**
 * For each mutant the first seed, with 3 to 10 validators, that kills it.
 */
export const KILLERS: Readonly<Record<string, number>> = {
  noLockCheck: 29,
  noLockSet: 29,
  halfQuorum: 2,
  line29Dropped: 247,
  polkaNotChecked: 109,
  invalidPrevoted: 5,
  timerNotCancelled: 3,
  skipByHeads: 29,
  syncSkipped: 1,
  logNotSynced: 41,
  signBeforeSync: 700,
  lockNotPersisted: 303,
  noPolkaCertificate: 23,
  signersCountedTwice: 18,
  signaturesNotChecked: 8,
  bitmapNotChecked: 10,
  evidenceTwice: 3,
  windowOffByOne: 1,
  wrongSetAtBoundary: 9,
  timeNotChecked: 30,
};
