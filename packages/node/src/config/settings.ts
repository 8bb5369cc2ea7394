/**
 * Every setting of a node, by its path in `node.json`. File, environment, flags, help, documents and the
 * published schema all follow from this table.
 */
import {
  choice,
  integer,
  list,
  optionalAtoms,
  optionalHex,
  optionalPath,
  optionalText,
  type Setting,
  text,
  toggle,
  toggleOff,
} from './setting.ts';

export const SETTINGS = {
  network: choice(
    ['mainnet', 'testnet', 'testnet100', 'development'],
    'mainnet',
    'The network to take part in.',
    { flag: '--network <name>' },
  ),
  data_dir: optionalPath(
    'Where everything is kept; `.svc/<network>` in the home directory if absent.',
    {
      flag: '--data-dir <directory>',
    },
  ),
  genesis: optionalPath('The genesis document; the one in the data directory if absent.', {
    flag: '--genesis <file>',
  }),
  recovery: list(
    8,
    'Recovery files that this node follows: each names the validators that decide after a cut, in place of those that could not. To be left there for good.',
    { flag: '--recovery <file>' },
  ),
  'http.bind': text('127.0.0.1:28701', 'Where the HTTP API and the sockets listen.', {
    flag: '--http-bind <ip[:port]>',
  }),
  'http.public': toggle('Serve strangers: the limits of a public API instead of those of a node.', {
    flag: '--public',
  }),
  'http.public_names': list(
    16,
    'Host names under which the API is reached, beside `localhost` and the address it listens on.',
    { flag: '--public-name <host>' },
  ),
  'http.browser_origins': list(
    64,
    'Origins whose web pages may call the API, such as `https://wallet.example`.',
    { flag: '--browser-origin <origin>' },
  ),
  'http.trusted_proxies': list(
    16,
    'Addresses or networks (`10.0.0.0/8`) whose `X-Forwarded-For` is believed.',
    { flag: '--trusted-proxy <ip[/bits]>' },
  ),
  'http.ui': toggleOff('Serve the page for browsers under `/ui`; the flag turns it off.', {
    flag: '--no-ui',
  }),
  'mining.bind': text(
    '127.0.0.1:28702',
    'Where miners of this machine get work; always loopback.',
    {
      flag: '--mining-bind <ip[:port]>',
    },
  ),
  'metrics.bind': optionalText(
    'Where metrics are served, port 28790 if none is given; off if absent.',
    {
      flag: '--metrics-bind <ip[:port]>',
    },
  ),
  'log.filter': text('info', 'Levels: one for all, then by part, such as `info,network=debug`.', {
    flag: '--log <filter>',
    alsoFrom: ['SVC_LOG', 'RUST_LOG'],
  }),
  'log.file': optionalPath('Also write the log to this file, as lines of JSON.', {
    flag: '--log-file <file>',
  }),
  'log.format': choice(
    ['auto', 'pretty', 'json'],
    'auto',
    'How the log looks on standard error; `auto` is `pretty` on a terminal.',
    { flag: '--log-format <name>' },
  ),
  'log.status_seconds': integer(900, [0, 3_600], 'Seconds between status lines; 0 for none.', {
    flag: '--status-seconds <n>',
  }),
  'storage.mode': choice(
    ['archive', 'full', 'pruned'],
    'full',
    'What is kept: every block, every list, or the state and what is recent.',
    { flag: '--storage-mode <name>' },
  ),
  'storage.cache_megabytes': integer(64, [8, 65_536], 'Memory for reads from the chain.'),
  'storage.scrub_hours': integer(
    24,
    [0, 8_760],
    'Hours between two slow readings of all stored files, which find rot before readers do; 0 for none.',
  ),
  'storage.state_every_cuts': integer(
    1_152,
    [0, 34_560],
    'At every so-many-th cut the state is kept in ranges for nodes that join with `--state-sync`; the newest two stay, beside the chain. 0 for none.',
  ),
  'storage.free_megabytes_min': integer(
    1_024,
    [0, 2 ** 30],
    'Free space on the disk of the data directory below which the node says so in its log, its status, its metrics and `/ready`; 0 for never.',
  ),
  'peers.listen': list(8, 'IP addresses where other nodes connect; every interface if empty.', {
    flag: '--listen <ip>',
  }),
  'peers.port': integer(28_700, [0, 65_535], 'The port for other nodes; 0 for any that is free.', {
    flag: '--peer-port <n>',
  }),
  'peers.bootstrap': list(64, 'Nodes to connect to first: `host`, `host:port` or multiaddrs.', {
    flag: '--bootstrap <address>',
  }),
  'peers.inbound_max': integer(
    64,
    [0, 1_024],
    'Connections accepted from other nodes; with 0 the node does not listen for them. A hostile one can take up to 28 MB of memory.',
  ),
  'peers.outbound_max': integer(8, [0, 256], 'Connections made to other nodes.'),
  'peers.quic': toggle(
    'Listen for QUIC on the same port too, where its binary exists (linux-x64). Unlike TCP it has no post-quantum key exchange.',
  ),
  'peers.upload_kilobytes_per_second': integer(
    0,
    [0, 10_000_000],
    'The most that is sent to other nodes in answers, all together; 0 for no limit. New blocks and payments go before answers to nodes that catch up.',
  ),
  'peers.certificate_every_cuts': integer(
    1,
    [1, 64],
    'A node that follows fetches so many cuts together, with the certificate of the last: fewer bytes, and as many cuts behind. Not for validators.',
  ),
  'sync.state': toggle(
    'Begin with the state of a certified cut from peers instead of the genesis, where there is no chain yet. Not for validators.',
    { flag: '--state-sync' },
  ),
  'sync.trust': optionalText(
    'The cut that such a beginning trusts, as `height:cut_id`; the genesis if absent.',
    { flag: '--trust <height:cut_id>' },
  ),
  'proof_of_work.mode': choice(
    ['light', 'full'],
    'light',
    'Check work from the cache alone, or from the dataset, which mining and validators need.',
    { flag: '--pow-mode <name>' },
  ),
  'proof_of_work.threads': integer(0, [0, 256], 'Threads for proof of work; 0 for what fits.', {
    flag: '--pow-threads <n>',
  }),
  'proof_of_work.dataset_dir': optionalPath(
    'Where datasets are kept, in a folder for each chain. If absent: `dataset` in the data directory where that is there, else `.cache/svc/dataset` in the home directory, which the mining programs of the same user share.',
    { flag: '--dataset-dir <directory>' },
  ),
  'validator.consensus_key_file': optionalPath(
    'The encrypted consensus key; makes the node a validator.',
  ),
  'validator.password_file': optionalPath('The password of the consensus key.'),
  'validator.next_consensus_key_file': optionalPath(
    'The key that follows by a rotation; `.next` behind the name of the key if absent. It may come while the node runs.',
  ),
  'validator.next_password_file': optionalPath(
    'The password of the next key; `.next` behind the name of the password file if absent.',
  ),
  'validator.signer': optionalText(
    'Where `svc-signer` is, in place of the files of a key: the path of its socket, or `host:port` for TLS.',
  ),
  'validator.signer_fingerprint': optionalHex(
    64,
    "SHA-256 of the signer's certificate, for a signer at `host:port`.",
  ),
  'validator.signer_certificate_file': optionalPath(
    'The certificate that this node shows to the signer, PEM.',
  ),
  'validator.signer_key_file': optionalPath('The key of that certificate, PEM.'),
  'validator.heartbeat.validator_id': optionalHex(
    96,
    'The validator that heartbeats are sent for; the one that holds the consensus key if absent.',
  ),
  'validator.heartbeat.fee_key_file': optionalPath('The encrypted key that pays for heartbeats.'),
  'validator.heartbeat.fee_key_password_file': optionalPath('The password of the fee key.'),
  'validator.heartbeat.max_fee_atoms': optionalAtoms(
    'The most that one heartbeat may pay, in atoms.',
  ),
  'validator.heartbeat.fee_rate_per_mass': optionalAtoms(
    'Atoms for each unit of mass; the least the network takes if absent.',
  ),
  'validator_overlay.listen_addrs': list(
    8,
    'Where other validators connect: an IP, `ip:port` or multiaddrs; every interface, port 28704 (testnets 28709), if empty.',
  ),
  'validator_overlay.announced_routes': list(
    4,
    'Where other validators find this one, as `host` or `host:port`, if that is no longer where it registered; no transaction is needed.',
  ),
} as const satisfies Record<string, Setting<unknown>>;

export type SettingPath = keyof typeof SETTINGS;
export type SettingValue<Path extends SettingPath> =
  (typeof SETTINGS)[Path] extends Setting<infer Value> ? Value : never;

export const SETTING_PATHS: readonly SettingPath[] = Object.keys(SETTINGS) as SettingPath[];

export function isSettingPath(path: string): path is SettingPath {
  return Object.hasOwn(SETTINGS, path);
}

/** The variables that carry a setting, the one that wins first. */
export function environmentNames(path: SettingPath): readonly string[] {
  const { alsoFrom } = SETTINGS[path] as Setting<unknown>;
  return [`SVC_${path.replaceAll('.', '_').toUpperCase()}`, ...alsoFrom];
}

/** The long form of a setting's flag, `--data-dir`. */
export function flagName(path: SettingPath): string | null {
  const { flag } = SETTINGS[path] as Setting<unknown>;
  return flag === null ? null : (flag.split(' ')[0] as string);
}
