/**
 * Bundles the entry points of `svc-wasm` into plain ES modules that need no resolver: third-party
 * code is inside, what the entries share is in shared chunks, and the word list is a file of its
 * own. Nothing here may depend on the time or on the folder it runs in.
 */
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import { build } from 'esbuild';
import { PROTOCOL } from './paths.ts';

const WORD_LIST = '@scure/bip39/wordlists/english.js';
const WORD_LIST_FILE = './bip39-english.js';

const wordListApart: Plugin = {
  name: 'word-list-apart',
  setup(context) {
    context.onResolve({ filter: /wordlists\/english\.js$/ }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path: WORD_LIST_FILE, external: true },
    );
  },
};

/** In the repository the kernel lies in `build`; in a release it lies beside the code. */
const kernelBeside: Plugin = {
  name: 'kernel-beside',
  setup(context) {
    context.onLoad({ filter: /entry\/kernel-url\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll("'../../build/", "'./"),
      loader: 'ts',
    }));
  },
};

export interface Bundle {
  /** For each file written: its name, and the files it imports statically. */
  readonly imports: ReadonlyMap<string, readonly string[]>;
  /** Names of the packages whose code is inside. */
  readonly packages: readonly string[];
}

export async function bundle(outFolder: string): Promise<Bundle> {
  const result = await build({
    absWorkingDir: PROTOCOL,
    entryPoints: {
      node: 'src/entry/node.ts',
      browser: 'src/entry/browser.ts',
      inline: 'src/entry/inline.ts',
      kernel: 'src/kernel/index.ts',
      'error-codes': 'src/base/error-codes.ts',
      'bip39-english': WORD_LIST,
    },
    outdir: outFolder,
    bundle: true,
    splitting: true,
    chunkNames: 'shared-[hash]',
    format: 'esm',
    platform: 'neutral',
    external: ['node:*'],
    target: 'es2022',
    minify: true,
    keepNames: false,
    legalComments: 'none',
    metafile: true,
    logLevel: 'silent',
    plugins: [wordListApart, kernelBeside],
  });
  const fileName = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  const imports = new Map(
    Object.entries(result.metafile.outputs).map(([path, output]) => [
      fileName(path),
      output.imports
        .filter(({ kind, path: target }) => kind === 'import-statement' && !/^node:/.test(target))
        .map(({ path: target }) => fileName(target)),
    ]),
  );
  return { imports, packages: packagesOf(Object.keys(result.metafile.inputs)) };
}

function packagesOf(inputs: readonly string[]): string[] {
  const names = inputs.map((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** Everything that loading one entry makes a browser fetch, the entry included. */
export function filesLoadedBy(entry: string, { imports }: Bundle): string[] {
  const found = new Set<string>();
  const waiting = [entry];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    waiting.push(...(imports.get(name) ?? []));
  }
  return [...found].sort();
}
