/**
 * svc-network: peers, relay, sync and the validator overlay.
 */
export type {
  BlockBytes,
  ChainIdentity,
  ChainTip,
  CutToInstall,
  Holdings,
  Installation,
  NetworkApplication,
  Reception,
  StorageMode,
  TransactionReception,
} from './application.ts';
export type { Refusal, UpdateAnnouncement } from './handshake/handshake.ts';
export { HOST_LIMITS, type HostLimits, type HostOptions, P2P_PORT } from './host/options.ts';
export { Network, type NetworkOptions } from './network.ts';
export type { Ban } from './peers/bans.ts';
