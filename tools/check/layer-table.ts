/**
 * Which package may import which, and what a pure package may not touch. This table is the
 * architecture; `ARCHITECTURE.md` draws it.
 */
export interface Layer {
  /** Sibling packages that may be imported: all of one by its folder name, one entry of it as `folder/entry`. */
  readonly imports: readonly string[];
  /** What tests, fuzzers and demonstrations import besides: programs that they run the package with. Never what imports it. */
  readonly tests?: readonly string[];
  /** Packages from the registry that may be imported, by exact name or `@scope/`. */
  readonly libraries: readonly string[];
  /** No Node modules, clock, timers, network or process; the shell brings them in through ports. */
  readonly pure: boolean;
}

export const LAYERS: Readonly<Record<string, Layer>> = {
  base: { imports: [], libraries: ['commander'], pure: false },
  protocol: { imports: [], libraries: ['@noble/', '@scure/'], pure: true },
  ledger: { imports: ['protocol'], libraries: [], pure: true },
  mining: {
    imports: ['api', 'base', 'protocol'],
    libraries: ['ipaddr.js', 'ws'],
    pure: false,
  },
  consensus: {
    imports: ['base', 'ledger', 'protocol'],
    libraries: ['commander'],
    pure: false,
  },
  miner: {
    imports: ['base', 'mining', 'protocol'],
    libraries: ['@noble/', 'commander'],
    pure: false,
  },
  storage: {
    imports: ['base', 'ledger', 'protocol'],
    libraries: ['classic-level', 'sorted-btree'],
    pure: false,
  },
  simulator: {
    imports: [
      'base',
      'consensus/machine',
      'consensus/shell',
      'ledger',
      'network',
      'node/chain',
      'protocol',
      'storage',
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
    imports: ['base', 'consensus/machine', 'protocol'],
    libraries: ['@libp2p/', '@multiformats/', 'ipaddr.js', 'libp2p'],
    pure: false,
  },
  page: {
    imports: ['api', 'base/pure', 'base/system-clock', 'client', 'miner/browser', 'protocol'],
    tests: ['bench', 'ledger', 'node', 'pool', 'storage', 'wallet'],
    libraries: ['@preact/signals', 'preact', 'qr'],
    pure: false,
  },
  serve: {
    imports: ['api', 'base', 'ledger', 'page/files', 'protocol', 'storage'],
    libraries: ['fastify', 'ipaddr.js', 'quick-lru', 'typebox', 'ws'],
    pure: false,
  },
  node: {
    imports: [
      'api',
      'base',
      'consensus',
      'ledger',
      'mining/pow',
      'network',
      'page/files',
      'protocol',
      'serve',
      'storage',
    ],
    tests: ['client', 'wallet'],
    libraries: [
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
    tests: ['ledger', 'node', 'page'],
    libraries: ['@clack/', 'commander', 'fastify', 'pino', 'qr', 'typebox', 'ws'],
    pure: false,
  },
  devnet: {
    imports: ['base/pure', 'client', 'node'],
    libraries: [],
    pure: false,
  },
  bridge: {
    imports: ['base', 'mining'],
    tests: ['miner', 'protocol'],
    libraries: ['commander'],
    pure: false,
  },
  pool: {
    imports: ['api', 'base', 'client', 'mining', 'page/pool-files', 'protocol'],
    tests: ['bridge', 'ledger', 'miner', 'node'],
    libraries: ['commander', 'pg'],
    pure: false,
  },
  bench: {
    imports: [
      'base',
      'client',
      'consensus/machine',
      'ledger',
      'miner',
      'mining',
      'node',
      'protocol',
      'serve',
      'storage',
      'wallet',
    ],
    libraries: ['classic-level', 'ws'],
    pure: false,
  },
};

/** Folders of shell packages that are still pure; they import nothing of their package outside themselves. */
export const PURE_FOLDERS: readonly string[] = [
  'packages/base/src/pure/',
  'packages/consensus/src/machine/',
  'packages/consensus/src/shell/',
  'packages/mining/src/core/',
];

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
