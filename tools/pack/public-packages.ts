/**
 * Every package that people install, and what it is made of. A program carries all code of this project inside, so that
 * one tarball is enough; a library leaves the other public libraries outside, so that their classes and types exist once.
 */
export interface PublicProgram {
  readonly kind: 'program';
  readonly name: string;
  readonly description: string;
  /** The module whose `main` takes the words of the command line and answers the exit code. */
  readonly main: string;
  /** Other programs that it starts, by the name of their file in `dist`. */
  readonly inside: Readonly<Record<string, string>>;
  /** A command that prints something and ends, with a text that it prints. */
  readonly trial: { readonly words: readonly string[]; readonly prints: RegExp };
}

export interface PublicLibrary {
  readonly kind: 'library';
  readonly name: string;
  readonly description: string;
  /** The folder of the package in `packages`. */
  readonly folder: string;
  /** Sources by their entry: `index` is the package itself, `x` is `<package>/x`. */
  readonly entries: Readonly<Record<string, string>>;
  /** Public packages that stay outside. */
  readonly needs: readonly string[];
  /** Where packages of the registry go: an application shares those of a library; those of a network are not shared. */
  readonly registry: 'inside' | 'outside';
  /** Sources that are never loaded, and whose code is not in the package. */
  readonly leftOut: readonly string[];
  /** The Nodes that run it. */
  readonly node: string;
  readonly platform: 'neutral' | 'node';
}

export type PublicPackage = PublicProgram | PublicLibrary;

const HELP = { words: ['--help'], prints: /Usage:/ } as const;

export const PROGRAMS: readonly PublicProgram[] = [
  {
    kind: 'program',
    name: 'svcd',
    description: 'The node of svc, and a private network in one command: svcd dev.',
    main: 'packages/node/src/cli/main.ts',
    inside: { 'svc-wallet': 'packages/wallet/src/cli/main.ts' },
    trial: HELP,
  },
  {
    kind: 'program',
    name: 'svc-wallet',
    description: 'The wallet of svc: file, command line and daemon.',
    main: 'packages/wallet/src/cli/main.ts',
    inside: {},
    trial: HELP,
  },
  {
    kind: 'program',
    name: 'svc-signer',
    description: 'Holds the consensus key of a svc validator and the record of what it signed.',
    main: 'packages/consensus/src/signer/main.ts',
    inside: {},
    trial: HELP,
  },
  {
    kind: 'program',
    name: 'svc-miner',
    description: 'The miner of svc: CPU threads and OpenCL cards, to a node, a bridge or a pool.',
    main: 'packages/miner/src/cli/main.ts',
    inside: {},
    trial: HELP,
  },
  {
    kind: 'program',
    name: 'svc-bridge',
    description: 'Takes the work of svc miners and hands it to a node.',
    main: 'packages/bridge/src/main.ts',
    inside: {},
    trial: HELP,
  },
  {
    kind: 'program',
    name: 'svc-pool',
    description:
      'A mining pool for svc, together (PPLNS) or alone, with publicly auditable rounds.',
    main: 'packages/pool/src/main.ts',
    inside: {},
    trial: HELP,
  },
];

export const LIBRARIES: readonly PublicLibrary[] = [
  {
    kind: 'library',
    name: 'svc-client',
    description: 'Typed client of a node and of a wallet daemon of svc, for Node and browsers.',
    folder: 'client',
    entries: {
      index: 'packages/client/src/index.ts',
      evidence: 'packages/client/src/evidence.ts',
      node: 'packages/client/src/light/file-store.ts',
    },
    needs: ['svc-wasm'],
    registry: 'outside',
    leftOut: [],
    node: '>=20.19',
    platform: 'neutral',
  },
  {
    kind: 'library',
    name: 'svc-devnet',
    description:
      'A development network of svc inside a test: one process, ports of its own, typed control.',
    folder: 'devnet',
    entries: { index: 'packages/devnet/src/index.ts' },
    needs: ['svc-client', 'svc-wasm'],
    registry: 'inside',
    // A development network has no peers: all its validators are in one process.
    leftOut: ['packages/node/src/compose/peers.ts', 'packages/node/src/network/overlay-network.ts'],
    node: '>=26',
    platform: 'node',
  },
];
