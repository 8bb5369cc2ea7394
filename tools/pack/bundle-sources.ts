/**
 * Bundles the TypeScript of a public package into readable ES modules in one flat folder: code of this project goes
 * inside, and packages of the registry too where that is asked for; those that stay outside become dependencies.
 * Threads and data files that a module names relative to itself are found and copied beside it.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { ROOT } from '../release/paths.ts';

export interface SourceBundleOptions {
  /** Sources from the root of the repository, by the name of their file without its ending. */
  readonly entries: Readonly<Record<string, string>>;
  readonly outFolder: string;
  /** Public packages of this project that stay outside. */
  readonly outside: readonly string[];
  /** Where packages of the registry go. */
  readonly registry: 'inside' | 'outside';
  readonly platform: 'neutral' | 'node';
  /** Sources from the root of the repository that the package never loads; none of their code goes inside. */
  readonly leftOut?: readonly string[];
}

export interface SourceBundle {
  /** Names of the packages of the registry and of this project that the code imports. */
  readonly imported: readonly string[];
  /** Folders of the packages of the registry whose code is inside, from the root of the repository. */
  readonly inside: readonly string[];
}

/** The first is native, the second reads its own manifest, and the log starts threads from files of its package. */
const NEVER_INSIDE: readonly string[] = [
  'classic-level',
  '@achingbrain/ssdp',
  'pino',
  'pino-pretty',
];
/** The `require` with which CommonJS packages load Node's own modules. */
const REQUIRE = `import { createRequire as requireFrom } from 'node:module';
const require = requireFrom(import.meta.url);`;

const BESIDE = /new URL\('(\.{1,2}\/[^']+)', import\.meta\.url\)/g;
const MANIFEST = '../package.json';
/** The wallet that a development network starts is in `bin` of its package, and beside the code in a tarball. */
const WALLET_STARTER = '../../../wallet/bin/svc-wallet.js';
const TARGET = 'es2022';

/** What a bundle has found: modules that become entries, files that are copied, packages that are imported. */
class Findings {
  readonly entries = new Map<string, string>();
  readonly files = new Map<string, string>();
  readonly imported = new Set<string>();
  readonly inside = new Set<string>();
  hasNewEntry = false;

  addEntry(name: string, source: string): void {
    const known = this.entries.get(name);
    if (known === source) return;
    if (known !== undefined) throw new Error(`${known} and ${source} would both be ${name}.js`);
    this.entries.set(name, source);
    this.hasNewEntry = true;
  }

  addFile(source: string): string {
    const documents = join(ROOT, 'docs/');
    const name = source.startsWith(documents)
      ? source.slice(documents.length).replaceAll('/', '-')
      : basename(source);
    const known = this.files.get(name);
    if (known !== undefined && known !== source) throw new Error(`two files are called ${name}`);
    this.files.set(name, source);
    return name;
  }
}

function packageNameOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function resolving(findings: Findings, options: SourceBundleOptions): Plugin {
  const { outside, registry } = options;
  return {
    name: 'resolve-packages',
    setup(context) {
      context.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        if (kind === 'entry-point') return undefined;
        if (path.startsWith('node:')) return { path, external: true };
        const name = packageNameOf(path);
        if (name.startsWith('svc-') && !outside.includes(name))
          return { path: fileURLToPath(import.meta.resolve(path)) };
        const mayBeInside = registry === 'inside' && !NEVER_INSIDE.includes(name);
        if (mayBeInside && !outside.includes(name)) return undefined;
        findings.imported.add(name);
        return { path, external: true };
      });
    },
  };
}

/** Rewrites what a module names relative to itself to its place in the flat folder. */
function besideEachOther(findings: Findings, outside: readonly string[]): Plugin {
  const place = (folder: string, path: string): string => {
    if (path === MANIFEST) return path;
    if (path === WALLET_STARTER) return './svc-wallet.js';
    const source = join(folder, path);
    if (!path.endsWith('.ts')) return `./${findings.addFile(source)}`;
    const name = basename(path, '.ts');
    findings.addEntry(name, relative(ROOT, source));
    return `./${name}.js`;
  };
  return {
    name: 'beside-each-other',
    setup(context) {
      context.onLoad({ filter: /packages\/[a-z]+\/src\/.*\.ts$/ }, ({ path }) => {
        let contents = readFileSync(path, 'utf8');
        contents = contents.replaceAll(
          BESIDE,
          (_, found: string) => `new URL('${place(dirname(path), found)}', import.meta.url)`,
        );
        if (!outside.includes('svc-wasm'))
          contents = contents.replaceAll(
            /import\.meta\.resolve\((['`])svc-wasm\/([^'`]+)\1\)/g,
            'new URL($1./$2$1, import.meta.url).href',
          );
        return { contents, loader: 'ts' };
      });
    },
  };
}

/** Replaces each module that is left out by one that throws. */
function leavingOut(sources: readonly string[]): Plugin {
  return {
    name: 'leave-out',
    setup(context) {
      context.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const source = relative(ROOT, path);
        if (!sources.includes(source)) return undefined;
        return { contents: `throw new Error('this package is made without ${source}');` };
      });
    },
  };
}

export async function bundleSources(options: SourceBundleOptions): Promise<SourceBundle> {
  const { entries, outFolder, outside, platform, registry, leftOut = [] } = options;
  const findings = new Findings();
  for (const [name, source] of Object.entries(entries)) findings.addEntry(name, source);
  while (findings.hasNewEntry) {
    findings.hasNewEntry = false;
    const result = await build({
      absWorkingDir: ROOT,
      entryPoints: Object.fromEntries(findings.entries),
      outdir: join(ROOT, 'packed'),
      write: false,
      bundle: true,
      splitting: true,
      chunkNames: 'shared-[hash]',
      format: 'esm',
      platform,
      target: TARGET,
      sourcemap: 'linked',
      legalComments: 'none',
      logLevel: 'silent',
      metafile: true,
      // Packages in both forms of modules: the CommonJS one may load its own files in ways that no bundler sees.
      ...(registry === 'inside' ? { banner: { js: REQUIRE }, mainFields: ['module', 'main'] } : {}),
      plugins: [
        resolving(findings, options),
        leavingOut(leftOut),
        besideEachOther(findings, outside),
      ],
    });
    if (findings.hasNewEntry) continue;
    for (const path of Object.keys(result.metafile.inputs)) {
      const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
      if (folder !== undefined) findings.inside.add(folder);
    }
    for (const { path, text } of result.outputFiles) {
      const isMap = path.endsWith('.map');
      writeFileSync(join(outFolder, basename(path)), isMap ? withPublicSources(text) : text);
    }
  }
  for (const [name, source] of findings.files) copyFileSync(source, join(outFolder, name));
  return { imported: [...findings.imported].sort(), inside: [...findings.inside].sort() };
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent: readonly string[];
}

/**
 * A map whose sources are named from the root of the repository, wherever that is. It contains the texts of this
 * project; those of packages of the registry would be twice as much.
 */
function withPublicSources(text: string): string {
  const map = JSON.parse(text) as SourceMap;
  const sources = map.sources.map((source) => source.replace(/^(?:\.\.\/)+/, ''));
  const sourcesContent = map.sourcesContent.map((content, at) =>
    sources[at]?.includes('node_modules/') ? null : content,
  );
  return JSON.stringify({
    ...map,
    sources: sources.map((source) => `svc:///${source}`),
    sourcesContent,
  });
}
