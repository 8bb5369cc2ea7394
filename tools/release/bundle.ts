/**
 * Bundles the entry points of `svc-wasm` into plain ES modules that need no resolver: third-party
 * code is inside, what the entries share is in shared chunks, and the word list is a file of its
 * own. The code is left readable, with maps to its sources: the next bundler minifies it, and an error names a
 * line that can be read. Nothing here may depend on the time or on the folder it runs in.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { build } from 'esbuild';
import { PROTOCOL, ROOT } from './paths.ts';
import { markPureValues } from './pure-values.ts';

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

/** In the repository the kernel is in `build`, and the worker is TypeScript; in a release both are beside the code. */
const filesBeside: Plugin = {
  name: 'files-beside',
  setup(context) {
    context.onLoad({ filter: /entry\/(?:kernel-url|worker-password-hash)\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replaceAll("'../../build/", "'./")
        .replaceAll("'./password-worker.ts', import", "'./password-worker.js', import"),
      loader: 'ts',
    }));
  },
};

/** The output folder as the bundler sees it: maps and names of chunks depend on it, so it is always the same. */
const NAMED_FOLDER = join(PROTOCOL, 'dist');

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
      'password-worker': 'src/entry/password-worker.ts',
      typed: 'src/typed/index.ts',
      base: 'src/base/index.ts',
      protocol: 'src/protocol.ts',
      kernel: 'src/kernel/index.ts',
      'error-codes': 'src/base/error-codes.ts',
      'bip39-english': WORD_LIST,
    },
    outdir: NAMED_FOLDER,
    write: false,
    bundle: true,
    splitting: true,
    chunkNames: 'shared-[hash]',
    format: 'esm',
    platform: 'neutral',
    external: ['node:*'],
    target: 'es2022',
    minify: false,
    sourcemap: 'linked',
    legalComments: 'none',
    metafile: true,
    logLevel: 'silent',
    plugins: [wordListApart, filesBeside],
  });
  for (const { path, text } of result.outputFiles) {
    const contents = path.endsWith('.map') ? withPublicSources(text) : markPureValues(text);
    writeFileSync(join(outFolder, basename(path)), contents);
  }
  const imports = new Map(
    Object.entries(result.metafile.outputs).map(([path, output]) => [
      basename(path),
      output.imports
        .filter(({ kind, path: target }) => kind === 'import-statement' && !/^node:/.test(target))
        .map(({ path: target }) => basename(target)),
    ]),
  );
  return { imports, packages: packagesOf(Object.keys(result.metafile.inputs)) };
}

interface SourceMap {
  readonly sources: readonly string[];
}

/** A map whose sources are named from the root of the repository, wherever that is. */
function withPublicSources(text: string): string {
  const map = JSON.parse(text) as SourceMap;
  const sources = map.sources.map(
    (source) => `svc:///${relative(ROOT, join(NAMED_FOLDER, source)).replaceAll('\\', '/')}`,
  );
  return JSON.stringify({ ...map, sources });
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
