/**
 * The configuration of the one node of a development network.
 */
import { join } from 'node:path';
import type { DevOptions } from '../cli/actions.ts';
import type { NodeConfig } from '../config/node-config.ts';

const HOST = '127.0.0.1';
/** Cuts are this far apart on a network that is to be quick, unless it takes longer to make them. */
const AUTO_PACE_MILLIS = 100;
const MANUAL_PACE_MILLIS = 500;
const CACHE_BYTES = 16 << 20;

export function devPaceMillis(cutTime: DevOptions['cutTime']): number {
  if (cutTime === 'auto') return AUTO_PACE_MILLIS;
  return cutTime === 'manual' ? MANUAL_PACE_MILLIS : cutTime;
}

/** What a network keeps to whose pace was fixed by its genesis. */
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
    http: {
      bind: { host: HOST, port: ports.http },
      isPublic: false,
      publicNames: [],
      browserOrigins: options.browserOrigins,
      trustedProxies: [],
    },
    mining: { bind: { host: HOST, port: ports.mining } },
    metrics: { bind: null },
    log: { filter: 'warn', file: null, format: 'auto', statusSeconds: 0 },
    storage: { mode: 'archive', cacheBytes: CACHE_BYTES },
    peers: { listenHosts: [], port: 0, bootstrap: [], inboundMax: 0, outboundMax: 0 },
    proofOfWork: { mode: 'light', threads: 1 },
    validator: null,
    validatorOverlay: { listen: [] },
  };
}
