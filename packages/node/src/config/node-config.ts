/**
 * The configuration of a node as its parts use it: checked, complete, every path absolute.
 */
import type { StorageMode } from 'svc-storage';
import type { Network } from 'svc-wasm';
import type { Bind } from './bind.ts';

export interface HttpConfig {
  readonly bind: Bind;
  /** Whether the limits of a public API apply. */
  readonly isPublic: boolean;
  readonly publicNames: readonly string[];
  readonly browserOrigins: readonly string[];
  /** Addresses and networks in CIDR form. */
  readonly trustedProxies: readonly string[];
  /** Whether browsers are served the page. */
  readonly ui: boolean;
}

export interface LogConfig {
  readonly filter: string;
  readonly file: string | null;
  readonly format: 'auto' | 'pretty' | 'json';
  /** Seconds between status lines; 0 for none. */
  readonly statusSeconds: number;
}

export interface PeersConfig {
  /** IP addresses; none for a node that does not listen. */
  readonly listenHosts: readonly string[];
  readonly port: number;
  /** Hosts with or without a port, or multiaddrs. */
  readonly bootstrap: readonly string[];
  readonly inboundMax: number;
  readonly outboundMax: number;
  /** Whether QUIC is offered beside TCP, where that is possible. */
  readonly quic: boolean;
  /** Of all answers to peers together; 0 for no limit. */
  readonly uploadBytesPerSecond: number;
  /** Cuts that a following node fetches together, with one certificate. */
  readonly certificateEveryCuts: number;
}

/** A node that neither listens nor knows anybody has no peers, and need not load what peers take. */
export function wantsPeers({ listenHosts, bootstrap }: PeersConfig): boolean {
  return listenHosts.length > 0 || bootstrap.length > 0;
}

export interface HeartbeatConfig {
  /** The one that holds the consensus key if null. */
  readonly validatorId: string | null;
  readonly feeKeyFile: string;
  readonly feeKeyPasswordFile: string;
  readonly maxFeeAtoms: bigint;
  /** The lowest rate that the network accepts if null. */
  readonly feeRatePerMass: bigint | null;
}

export interface ConsensusKeyConfig {
  readonly consensusKeyFile: string;
  readonly passwordFile: string;
}

/** A validator whose key is in files of this machine. */
export interface KeyFilesConfig extends ConsensusKeyConfig {
  /** The key that follows by a rotation; its files need not be there. */
  readonly next: ConsensusKeyConfig;
  readonly signer: null;
  readonly heartbeat: HeartbeatConfig | null;
}

/** Where the remote signer is. */
export type SignerConfig =
  | { readonly path: string }
  | {
      readonly host: string;
      readonly port: number;
      readonly certificateFile: string;
      readonly keyFile: string;
      /** Of the signer's certificate, 64 hexadecimal characters. */
      readonly fingerprint: string;
    };

export type ValidatorConfig =
  | KeyFilesConfig
  | { readonly signer: SignerConfig; readonly heartbeat: HeartbeatConfig | null };

export interface NodeConfig {
  readonly network: Network;
  readonly dataDir: string;
  /** Null for the document in the data directory. */
  readonly genesisFile: string | null;
  /** Files of the recoveries that are followed. */
  readonly recoveryFiles: readonly string[];
  readonly http: HttpConfig;
  readonly mining: { readonly bind: Bind };
  readonly metrics: { readonly bind: Bind | null };
  readonly log: LogConfig;
  readonly storage: {
    readonly mode: StorageMode;
    readonly cacheBytes: number;
    /** Between two readings of all files; 0 for none. */
    readonly scrubHours: number;
    /** Cuts between two states that are kept for newcomers; 0 for none. */
    readonly stateEveryCuts: number;
    /** Less free space on the disk is a trouble. */
    readonly freeBytesMin: number;
  };
  readonly peers: PeersConfig;
  readonly sync: {
    /** Whether a node without a chain begins with a state from its peers. */
    readonly state: boolean;
    /** The cut that is trusted then; null for the genesis. */
    readonly trust: { readonly height: number; readonly cutId: string } | null;
  };
  readonly proofOfWork: {
    readonly mode: 'light' | 'full';
    /** Zero stands for as many as fit the machine. */
    readonly threads: number;
    /** Null for the folder that the mining programs of the user share, or an older one in the data directory. */
    readonly datasetDir: string | null;
  };
  /** Null for a node that signs nothing. */
  readonly validator: ValidatorConfig | null;
  /** Multiaddrs. */
  readonly validatorOverlay: {
    readonly listen: readonly string[];
    /** Where the validator is, if it is not where it registered. */
    readonly announcedRoutes: readonly Bind[];
  };
}
