/**
 * For each mutant the first seed, with 3 to 10 validators, that kills it.
 */
export const KILLERS: Readonly<Record<string, number>> = {
  noLockCheck: 20,
  noLockSet: 20,
  halfQuorum: 2,
  line29Dropped: 821,
  polkaNotChecked: 139,
  invalidPrevoted: 18,
  timerNotCancelled: 3,
  skipByHeads: 14,
  syncSkipped: 1,
  logNotSynced: 1,
  signBeforeSync: 1,
  lockNotPersisted: 178,
  noPolkaCertificate: 20,
  signersCountedTwice: 3,
  signaturesNotChecked: 3,
  bitmapNotChecked: 10,
  evidenceTwice: 6,
  windowOffByOne: 1,
  wrongSetAtBoundary: 32,
  timeNotChecked: 18,
  silenceFromStart: 1944,
  deafToOwnKey: 35,
  restoredAndReady: 2744,
};
