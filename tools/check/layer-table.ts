/**
 * Which package may import which, and what a pure package may not touch. This table is the
 * architecture; `ARCHITECTURE.md` draws it.
 */
export interface Layer {
  /** Sibling packages that may be imported: all of one by its folder name, one entry of it as `folder/entry`. */
  readonly imports: readonly string[];
  /** Packages from the registry that may be imported, by exact name or `@scope/`. */
  readonly libraries: readonly string[];
  /** No Node modules, clock, timers, network or process; the shell brings them in through ports. */
  readonly pure: boolean;
}

export const LAYERS: Readonly<Record<string, Layer>> = {
  base: { imports: [], libraries: ['commander'], pure: false },
  protocol: { imports: [], libraries: ['@noble/', '@scure/'], pure: true },
  ledger: { imports: ['protocol'], libraries: [], pure: true },
  mining: { imports: ['protocol'], libraries: [], pure: true },
  finality: { imports: ['base/pure', 'protocol'], libraries: [], pure: true },
  pow: { imports: ['base', 'protocol'], libraries: [], pure: false },
  miner: {
    imports: ['base', 'mining', 'pow', 'protocol', 'stratum/node'],
    libraries: ['@noble/', 'commander'],
    pure: false,
  },
  validator: {
    imports: ['base/pure', 'finality', 'ledger', 'protocol'],
    libraries: [],
    pure: true,
  },
  storage: {
    imports: ['base', 'ledger', 'protocol'],
    libraries: ['classic-level', 'sorted-btree'],
    pure: false,
  },
  simulator: {
    imports: [
      'base',
      'finality',
      'ledger',
      'network',
      'node/chain',
      'protocol',
      'storage',
      'validator',
    ],
    libraries: [],
    pure: false,
  },
  api: { imports: [], libraries: ['typebox'], pure: true },
  client: {
    imports: ['api', 'base/pure', 'base/system-clock', 'protocol'],
    libraries: [],
    pure: false,
  },
  network: {
    imports: ['base', 'finality', 'protocol'],
    libraries: ['@libp2p/', '@multiformats/', 'ipaddr.js', 'libp2p'],
    pure: false,
  },
  page: {
    imports: ['api', 'base/pure', 'base/system-clock', 'client', 'miner/browser', 'protocol'],
    libraries: ['@preact/signals', 'preact', 'qr'],
    pure: false,
  },
  node: {
    imports: [
      'api',
      'base',
      'finality',
      'ledger',
      'network',
      'page/files',
      'pow',
      'protocol',
      'storage',
      'validator',
    ],
    libraries: [
      '@fastify/ajv-compiler',
      'commander',
      'fastify',
      'ipaddr.js',
      'jsonc-parser',
      'pino',
      'pino-pretty',
      'quick-lru',
      'sorted-btree',
      'typebox',
      'ws',
    ],
    pure: false,
  },
  wallet: {
    imports: ['api', 'base', 'client', 'protocol'],
    libraries: ['@clack/', 'commander', 'fastify', 'pino', 'qr', 'typebox', 'ws'],
    pure: false,
  },
  devnet: {
    imports: ['base/pure', 'client', 'node'],
    libraries: [],
    pure: false,
  },
  stratum: {
    imports: ['api', 'base', 'mining', 'pow', 'protocol'],
    libraries: ['ipaddr.js', 'ws'],
    pure: false,
  },
  signer: {
    imports: ['base', 'finality', 'node/keys', 'protocol', 'stratum/program', 'validator'],
    libraries: ['commander'],
    pure: false,
  },
  bridge: {
    imports: ['base', 'pow', 'stratum'],
    libraries: ['commander'],
    pure: false,
  },
  pool: {
    imports: ['api', 'base', 'client', 'mining', 'page/pool-files', 'pow', 'protocol', 'stratum'],
    libraries: ['commander', 'pg'],
    pure: false,
  },
  bench: {
    imports: [
      'base',
      'client',
      'devnet',
      'finality',
      'ledger',
      'miner',
      'mining',
      'network',
      'node',
      'pow',
      'protocol',
      'storage',
      'stratum',
      'wallet',
    ],
    libraries: ['@libp2p/', 'classic-level', 'libp2p', 'ws'],
    pure: false,
  },
};

/** Folders of shell packages that are pure all the same; they import nothing of their package outside themselves. */
export const PURE_FOLDERS: readonly string[] = ['packages/base/src/pure/'];

/** The one file of a pure package that may use Node: it reads the kernel from disk. */
export const SHELL_FILES: readonly string[] = ['packages/protocol/src/entry/node.ts'];

/** Globals that a pure package may not name. */
export const IMPURE_GLOBALS: readonly string[] = [
  'Date',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'performance',
  'process',
  'Buffer',
  'XMLHttpRequest',
  'WebSocket',
  'localStorage',
];

/** Where a pure package may fetch: the browser entry, for the kernel beside it. */
export const FETCHING_FILES: readonly string[] = ['packages/protocol/src/entry/browser.ts'];
