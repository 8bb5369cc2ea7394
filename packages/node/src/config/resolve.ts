/**
 * Turns settings into the configuration of a node, and refuses what cannot be meant: an address that is
 * none, a mining listener that others can reach, half of a validator.
 */
import { isAbsolute, join, resolve } from 'node:path';
import { ConfigError } from 'svc-base/node';
import { LogFilterError, parseLogFilter } from '../log/filter.ts';
import {
  type Bind,
  checkHost,
  checkOrigin,
  checkPeer,
  checkProxy,
  checkPublicName,
  formatBind,
  isLoopback,
  parseBind,
  parseHostPort,
  toMultiaddr,
} from './bind.ts';
import type { Settings } from './layers.ts';
import {
  type HeartbeatConfig,
  type NodeConfig,
  type SignerConfig,
  type ValidatorConfig,
  wantsPeers,
} from './node-config.ts';
import type { SettingPath } from './settings.ts';

/** Behind the names of the files of a key: those of the key that follows it. */
const NEXT = '.next';

type PathOf = (path: SettingPath) => string | null;

/**
 * The `validator` section: all of it or nothing, and a node that can be a validator.
 */
function resolveValidator(settings: Settings, pathOf: PathOf): ValidatorConfig | null {
  if (!settings.hasSection('validator')) return null;
  if (settings.isGiven('validator.signer')) return resolveRemote(settings, pathOf);
  expectAll(settings, 'validator', ['validator.consensus_key_file', 'validator.password_file']);
  expectAble(settings);
  const consensusKeyFile = pathOf('validator.consensus_key_file') as string;
  const passwordFile = pathOf('validator.password_file') as string;
  return {
    consensusKeyFile,
    passwordFile,
    signer: null,
    next: {
      consensusKeyFile: pathOf('validator.next_consensus_key_file') ?? consensusKeyFile + NEXT,
      passwordFile: pathOf('validator.next_password_file') ?? passwordFile + NEXT,
    },
    heartbeat: resolveHeartbeat(settings, pathOf),
  };
}

/** The port of a signer if none is given. */
const SIGNER_PORT = 28_795;

function resolveRemote(settings: Settings, pathOf: PathOf): ValidatorConfig {
  const path = 'validator.signer';
  for (const other of ['validator.consensus_key_file', 'validator.password_file'] as const)
    if (settings.isGiven(other))
      throw new ConfigError(
        settings.origin(other),
        other,
        'the key is with the signer of validator.signer; take one of the two away',
      );
  expectAble(settings);
  return {
    signer: signerOf(settings, pathOf, path),
    heartbeat: resolveHeartbeat(settings, pathOf),
  };
}

function signerOf(settings: Settings, pathOf: PathOf, path: 'validator.signer'): SignerConfig {
  const found = settings.get(path) as string;
  if (isAbsolute(found)) return { path: found };
  const place = parseHostPort(found, SIGNER_PORT);
  if (place === undefined) {
    const problem = `expected the absolute path of a socket, or host:port, found ${found}`;
    throw new ConfigError(settings.origin(path), path, problem);
  }
  expectAll(settings, 'validator.signer', [
    'validator.signer_fingerprint',
    'validator.signer_certificate_file',
    'validator.signer_key_file',
  ]);
  return {
    ...place,
    fingerprint: settings.get('validator.signer_fingerprint') as string,
    certificateFile: pathOf('validator.signer_certificate_file') as string,
    keyFile: pathOf('validator.signer_key_file') as string,
  };
}

function resolveHeartbeat(settings: Settings, pathOf: PathOf): HeartbeatConfig | null {
  if (!settings.hasSection('validator.heartbeat')) return null;
  expectAll(settings, 'validator.heartbeat', [
    'validator.heartbeat.fee_key_file',
    'validator.heartbeat.fee_key_password_file',
    'validator.heartbeat.max_fee_atoms',
  ]);
  const rate = settings.get('validator.heartbeat.fee_rate_per_mass');
  return {
    validatorId: settings.get('validator.heartbeat.validator_id'),
    feeKeyFile: pathOf('validator.heartbeat.fee_key_file') as string,
    feeKeyPasswordFile: pathOf('validator.heartbeat.fee_key_password_file') as string,
    maxFeeAtoms: BigInt(settings.get('validator.heartbeat.max_fee_atoms') as string),
    feeRatePerMass: rate === null ? null : BigInt(rate),
  };
}

function expectAll(settings: Settings, section: string, paths: readonly SettingPath[]): void {
  const missing = paths.filter((path) => !settings.isGiven(path));
  if (missing.length === 0) return;
  throw new ConfigError('', section, `is incomplete: ${missing.join(' and ')} must be given too`);
}

/** A validator executes every cut from the genesis on and checks work from the dataset. */
function expectAble(settings: Settings): void {
  if (settings.get('storage.mode') === 'pruned') {
    throw new ConfigError(
      settings.origin('storage.mode'),
      'storage.mode',
      'a validator needs full or archive, found pruned',
    );
  }
  if (settings.get('peers.certificate_every_cuts') > 1) {
    throw new ConfigError(
      settings.origin('peers.certificate_every_cuts'),
      'peers.certificate_every_cuts',
      'a validator needs every certificate, so expected 1',
    );
  }
  const isLight = settings.get('proof_of_work.mode') === 'light';
  if (isLight && settings.get('network') !== 'development') {
    throw new ConfigError(
      settings.origin('proof_of_work.mode'),
      'proof_of_work.mode',
      'a validator needs full, found light; add --pow-mode full',
    );
  }
}

const HTTP_PORT = 28_701;
const MINING_PORT = 28_702;
export const METRICS_PORT = 28_790;
export const OVERLAY_PORTS = {
  mainnet: 28_704,
  testnet: 28_709,
  testnet100: 28_709,
  development: 28_704,
};
const EVERY_INTERFACE = ['0.0.0.0', '::'];
const KILOBYTE = 1_024;
const MEGABYTE = 1 << 20;
/** What one peer can make a node keep for it at the extremes; `docs/operate/config.md` adds it up. */
const PEER_BYTES_MAX = 28_000_000;

export interface Surroundings {
  /** The directory the node was started in. */
  readonly directory: string;
  readonly home: string;
  /** What this process may use of the machine's memory, if that is known. */
  readonly memoryBytes?: number;
}

export interface ResolvedConfig {
  readonly config: NodeConfig;
  /** Settings that work but are probably not wanted. */
  readonly warnings: readonly string[];
}

export function resolveConfig(settings: Settings, surroundings: Surroundings): ResolvedConfig {
  const network = settings.get('network');
  const path = (name: SettingPath): string | null => {
    const found = settings.get(name) as string | null;
    return found === null ? null : resolve(surroundings.directory, found);
  };
  const config: NodeConfig = {
    network,
    dataDir: path('data_dir') ?? join(surroundings.home, '.svc', network),
    genesisFile: path('genesis'),
    recoveryFiles: settings.get('recovery').map((file) => resolve(surroundings.directory, file)),
    http: {
      bind: bindOf(settings, 'http.bind', HTTP_PORT),
      isPublic: settings.get('http.public'),
      publicNames: checked(settings, 'http.public_names', checkPublicName),
      browserOrigins: checked(settings, 'http.browser_origins', checkOrigin),
      trustedProxies: checked(settings, 'http.trusted_proxies', checkProxy),
      ui: settings.get('http.ui'),
    },
    mining: { bind: miningBind(settings) },
    metrics: {
      bind:
        settings.get('metrics.bind') === null
          ? null
          : bindOf(settings, 'metrics.bind', METRICS_PORT),
    },
    log: {
      filter: logFilter(settings),
      file: path('log.file'),
      format: settings.get('log.format'),
      statusSeconds: settings.get('log.status_seconds'),
    },
    storage: {
      mode: settings.get('storage.mode'),
      cacheBytes: settings.get('storage.cache_megabytes') * MEGABYTE,
      scrubHours: settings.get('storage.scrub_hours'),
      stateEveryCuts: settings.get('storage.state_every_cuts'),
      freeBytesMin: settings.get('storage.free_megabytes_min') * MEGABYTE,
    },
    peers: {
      listenHosts: peerHosts(settings),
      port: settings.get('peers.port'),
      bootstrap: checked(settings, 'peers.bootstrap', checkPeer),
      inboundMax: settings.get('peers.inbound_max'),
      outboundMax: settings.get('peers.outbound_max'),
      quic: settings.get('peers.quic'),
      uploadBytesPerSecond: settings.get('peers.upload_kilobytes_per_second') * KILOBYTE,
      certificateEveryCuts: settings.get('peers.certificate_every_cuts'),
    },
    sync: { state: settings.get('sync.state'), trust: trustedCut(settings) },
    proofOfWork: {
      mode: settings.get('proof_of_work.mode'),
      threads: settings.get('proof_of_work.threads'),
      datasetDir: path('proof_of_work.dataset_dir'),
    },
    validator: resolveValidator(settings, path),
    validatorOverlay: {
      listen: overlayListen(settings, OVERLAY_PORTS[network]),
      announcedRoutes: announcedRoutes(settings, OVERLAY_PORTS[network]),
    },
  };
  if (config.sync.state) expectStateSync(settings, config);
  return { config, warnings: warningsOf(config, surroundings) };
}

function bindOf(settings: Settings, path: SettingPath, defaultPort: number): Bind {
  const found = settings.get(path) as string;
  const bind = parseBind(found, defaultPort);
  if (bind !== undefined) return bind;
  throw new ConfigError(settings.origin(path), path, `expected an IP or ip:port, found ${found}`);
}

/** What a state from others cannot be the beginning of. */
function expectStateSync(settings: Settings, { validator, storage, peers }: NodeConfig): void {
  const refused = (reason: string): ConfigError =>
    new ConfigError(settings.origin('sync.state'), 'sync.state', reason);
  if (validator !== null)
    throw refused('a validator is never started from a state of others; let it sync from genesis');
  if (storage.mode === 'archive')
    throw refused(
      'an archive holds everything from the genesis on; use storage mode full or pruned',
    );
  if (!wantsPeers(peers))
    throw refused('there is nobody to fetch a state from; set peers.bootstrap');
}

function trustedCut(settings: Settings): NodeConfig['sync']['trust'] {
  const found = settings.get('sync.trust');
  if (found === null) return null;
  const [, height, cutId] = /^([1-9][0-9]{0,14}):([0-9a-f]{96})$/.exec(found) ?? [];
  if (height !== undefined && cutId !== undefined) return { height: Number(height), cutId };
  const expected = 'expected a height and a cut id, such as 5120:<96 hexadecimal characters>';
  throw new ConfigError(settings.origin('sync.trust'), 'sync.trust', expected);
}

function logFilter(settings: Settings): string {
  const filter = settings.get('log.filter');
  try {
    parseLogFilter(filter);
    return filter;
  } catch (error) {
    if (!(error instanceof LogFilterError)) throw error;
    throw new ConfigError(settings.origin('log.filter'), 'log.filter', error.message);
  }
}

function miningBind(settings: Settings): Bind {
  const bind = bindOf(settings, 'mining.bind', MINING_PORT);
  if (isLoopback(bind.host)) return bind;
  throw new ConfigError(
    settings.origin('mining.bind'),
    'mining.bind',
    `work is given to this machine only, so expected a loopback address, found ${bind.host}`,
  );
}

function peerHosts(settings: Settings): readonly string[] {
  if (settings.get('peers.inbound_max') === 0) return [];
  const hosts = checked(settings, 'peers.listen', checkHost);
  return hosts.length === 0 ? EVERY_INTERFACE : hosts;
}

function overlayListen(settings: Settings, defaultPort: number): string[] {
  const path = 'validator_overlay.listen_addrs';
  const given = settings.get(path);
  return (given.length === 0 ? EVERY_INTERFACE : given).map((item) => {
    const address = toMultiaddr(item, defaultPort);
    if (address !== undefined) return address;
    const problem = `expected an IP, ip:port or multiaddr to listen on, found ${item}`;
    throw new ConfigError(settings.origin(path), path, problem);
  });
}

function announcedRoutes(settings: Settings, defaultPort: number): Bind[] {
  const path = 'validator_overlay.announced_routes';
  return settings.get(path).map((item) => {
    const route = parseHostPort(item, defaultPort);
    if (route !== undefined) return route;
    const problem = `expected host or host:port, found ${item}`;
    throw new ConfigError(settings.origin(path), path, problem);
  });
}

type ListPath =
  | 'http.public_names'
  | 'http.browser_origins'
  | 'http.trusted_proxies'
  | 'peers.bootstrap'
  | 'peers.listen';

/** `problemOf` says what was expected, or null if the item is fine. */
function checked(
  settings: Settings,
  path: ListPath,
  problemOf: (item: string) => string | null,
): readonly string[] {
  const items = settings.get(path);
  for (const item of items) {
    const problem = problemOf(item);
    if (problem === null) continue;
    throw new ConfigError(settings.origin(path), path, `${problem}, found ${item}`);
  }
  return items;
}

function warningsOf({ http, metrics, peers }: NodeConfig, { memoryBytes }: Surroundings): string[] {
  const warnings: string[] = [];
  if (!isLoopback(http.bind.host) && !http.isPublic) {
    warnings.push(
      `the API on ${formatBind(http.bind)} can be reached from other machines with the limits of a local node; add --public`,
    );
  }
  if (metrics.bind !== null && !isLoopback(metrics.bind.host)) {
    warnings.push(
      `metrics on ${formatBind(metrics.bind)} can be read by whoever reaches that address; keep them behind a firewall`,
    );
  }
  const peerBytes = peers.inboundMax * PEER_BYTES_MAX;
  if (memoryBytes !== undefined && peerBytes > memoryBytes) {
    warnings.push(
      `${peers.inboundMax} connections of other nodes can take ${gigabytes(peerBytes)} of memory if all of them are hostile, and there are ${gigabytes(memoryBytes)}; lower peers.inbound_max`,
    );
  }
  return warnings;
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
