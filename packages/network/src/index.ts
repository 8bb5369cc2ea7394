/**
 * svc-network: peers, relay, sync and the validator overlay.
 */
export type {
  BlockBytes,
  CertifiedHeight,
  ChainIdentity,
  ChainTip,
  CutToInstall,
  Holdings,
  Installation,
  NetworkApplication,
  Reception,
  StateOffer,
  StateSource,
  StorageMode,
  TransactionReception,
} from './application.ts';
export type { Refusal, UpdateAnnouncement } from './handshake/handshake.ts';
export { HOST_LIMITS, type HostLimits, type HostOptions, P2P_PORT } from './host/options.ts';
export { Network, type NetworkOptions } from './network.ts';
export type { OverlayApplication } from './overlay/forward-gate.ts';
export type { OverlayMember } from './overlay/members.ts';
export { Overlay, type OverlayOptions } from './overlay/overlay.ts';
export type { Ban } from './peers/bans.ts';
export type { HistoryFetch } from './sync/history-fetch.ts';
export type { HistoryKeeper, MissingIds, PastCut } from './sync/history-keeper.ts';
export type { PastFetch } from './sync/past-fetch.ts';
export type { SyncProgress } from './sync/progress.ts';
export type { StateFetch, StateProgress } from './sync/state-fetch.ts';
export type { CertifiedHeader, Checkpoint, StateKeeper } from './sync/state-keeper.ts';
export { SYNC_TIMING, type SyncStop, type SyncTiming } from './sync/sync.ts';
