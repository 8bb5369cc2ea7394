/**
 * What a development network is started with, and the configuration of its one node.
 */
import { join } from 'node:path';
import type { Log } from 'svc-base/pure';
import type { LedgerParameters } from 'svc-ledger';
import type { NodeConfig } from '../config/node-config.ts';
import type { NodeMetrics } from '../metrics/node-metrics.ts';

export interface DevOptions {
  /** The time between cuts: milliseconds, `auto` for as fast as possible, `manual` for on demand only. */
  readonly cutTime: number | 'auto' | 'manual';
  readonly validators: number;
  /** The port of the HTTP API; nodes' miners and the wallet have the next two. With 0 all are free ports. */
  readonly port: number;
  /** Where the network is kept; null removes it when it ends, as it must with `memory`. */
  readonly stateDir: string | null;
  /** Keeps the chain in memory: snapshots cost nothing, and a network that runs for days grows with its chain. */
  readonly memory?: boolean;
  /** What `dump` of a network gave: the network continues from there. Only with `memory`. */
  readonly load?: Uint8Array;
  readonly wallet: boolean;
  readonly miner: boolean;
  /** Mines by a bridge and a miner beside the node, where they are installed, instead of inside it. */
  readonly bridge?: boolean;
  readonly browserOrigins: readonly string[];
  /** Whether browsers are served the page; they are unless it says false. */
  readonly ui?: boolean;
}

export interface DevContext {
  /** Replaces the parameters of development networks, for measurements. */
  readonly parameters?: LedgerParameters;
  readonly log: Log;
  readonly metrics: NodeMetrics;
  readonly version: string;
  readonly onFatal: (error: unknown) => void;
}

/** The ports of the bridge, counted from that of the API: 28780 and 28782 unless another is chosen. */
export const BRIDGE_PORTS_AT = { bridge: 79, webSocket: 81 } as const;

const HOST = '127.0.0.1';
/** The pace of `auto`: cuts are this far apart unless it takes longer to make them. */
const AUTO_PACE_MILLIS = 100;
const MANUAL_PACE_MILLIS = 500;
const CACHE_BYTES = 16 << 20;
const FREE_BYTES_MIN = 64 << 20;

export function devPaceMillis(cutTime: DevOptions['cutTime']): number {
  if (cutTime === 'auto') return AUTO_PACE_MILLIS;
  return cutTime === 'manual' ? MANUAL_PACE_MILLIS : cutTime;
}

/** The cut time of a network whose genesis fixed the pace: the wished one if it fits, else that pace. */
export function devCutTime(
  wished: DevOptions['cutTime'],
  paceMillis: number,
): DevOptions['cutTime'] {
  return wished === 'manual' || devPaceMillis(wished) === paceMillis ? wished : paceMillis;
}

export interface Ports {
  readonly http: number;
  readonly mining: number;
}

export function devConfig(directory: string, ports: Ports, options: DevOptions): NodeConfig {
  return {
    network: 'development',
    dataDir: join(directory, 'node'),
    genesisFile: null,
    recoveryFiles: [],
    http: {
      bind: { host: HOST, port: ports.http },
      isPublic: false,
      publicNames: [],
      browserOrigins: options.browserOrigins,
      trustedProxies: [],
      ui: options.ui !== false,
    },
    mining: { bind: { host: HOST, port: ports.mining } },
    metrics: { bind: null },
    log: { filter: 'warn', file: null, format: 'auto', statusSeconds: 0 },
    storage: {
      mode: 'archive',
      cacheBytes: CACHE_BYTES,
      scrubHours: 24,
      stateEveryCuts: 0,
      freeBytesMin: FREE_BYTES_MIN,
    },
    peers: {
      listenHosts: [],
      port: 0,
      bootstrap: [],
      inboundMax: 0,
      outboundMax: 0,
      quic: false,
      uploadBytesPerSecond: 0,
      certificateEveryCuts: 1,
    },
    sync: { state: false, trust: null },
    proofOfWork: { mode: 'light', threads: 1, datasetDir: null },
    validator: null,
    validatorOverlay: { listen: [], announcedRoutes: [] },
  };
}
