/**
 * Bundles `packages/page/src` into what a node serves under `/ui` and what a pool serves: files whose names have the hash of
 * their content, with their compressed forms, in `page.json` and `pool.json`. The workers are built first, because the page
 * has their names in it; the style is in the shell, so that first content needs one request.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type BuildOptions, type BuildResult, build, type OutputFile } from 'esbuild';

const folder = fileURLToPath(new URL('../packages/page/', import.meta.url));
/** Smaller files do not become shorter by what a compressed answer adds in headers. */
const COMPRESSED_BYTES_MIN = 512;

const COMMON = {
  absWorkingDir: folder,
  outdir: 'build',
  write: false,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  loader: { '.wasm': 'file' },
  legalComments: 'none',
  logLevel: 'error',
  metafile: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
} as const satisfies BuildOptions;

type Built = BuildResult<{ metafile: true; write: false }>;

/** The name of the file that an entry became. */
function nameOf({ metafile }: Built, entry: string, ending: string): string {
  const found = Object.entries(metafile.outputs).find(
    ([path, { entryPoint }]) => entryPoint === entry && path.endsWith(ending),
  );
  if (found === undefined) throw new Error(`${entry} became no file`);
  return basename(found[0]);
}

function packed(name: string, bytes: Uint8Array): Record<string, string> {
  const plain = Buffer.from(bytes).toString('base64');
  if (bytes.length < COMPRESSED_BYTES_MIN) return { name, ending: extname(name), plain };
  const params = { [constants.BROTLI_PARAM_QUALITY]: 10 };
  return {
    name,
    ending: extname(name),
    plain,
    gzip: gzipSync(bytes, { level: 9 }).toString('base64'),
    brotli: brotliCompressSync(bytes, { params }).toString('base64'),
  };
}

interface Page {
  readonly out: string;
  readonly entry: string;
  readonly title: string;
  /** Below which path its screens are; its files are in `assets` below that. */
  readonly base: string;
  /** Where to go without scripts. */
  readonly plain: string;
}

const STYLE = 'src/style/page.css';

/** Builds one page and writes it, with files that were built before it. */
async function writePage(
  { out, entry, title, base, plain }: Page,
  define: Readonly<Record<string, string>> = {},
  before: readonly OutputFile[] = [],
): Promise<void> {
  const assets = `${base}/assets/`;
  const page = await build({
    ...COMMON,
    publicPath: assets,
    entryPoints: [entry, STYLE],
    splitting: true,
    define: { PAGE_BASE: JSON.stringify(base), ...define },
  });
  const styles = page.outputFiles.filter(({ path }) => path.endsWith('.css'));
  const [{ text: style } = { text: '' }] = styles;
  if (styles.length !== 1 || style.includes('<'))
    throw new Error('the style cannot be in the shell');
  const shell = readFileSync(join(folder, 'src', 'shell.html'), 'utf8')
    .replaceAll('{{title}}', title)
    .replaceAll('{{plain}}', plain)
    .replace('{{script}}', assets + nameOf(page, entry, '.js'))
    .replace('<link rel="stylesheet" href="{{style}}">', () => `<style>${style}</style>`);
  if (shell.includes('{{')) throw new Error('the shell has a place that nothing was put into');
  const files = [...before, ...page.outputFiles].filter((file) => !styles.includes(file));
  const document = {
    style_hash: createHash('sha256').update(style).digest('base64'),
    shell: packed('index.html', Buffer.from(shell)),
    assets: files.map(({ path, contents }) => packed(basename(path), contents)),
  };
  const place = join(folder, 'build', out);
  mkdirSync(join(folder, 'build'), { recursive: true });
  writeFileSync(`${place}.new`, JSON.stringify(document));
  renameSync(`${place}.new`, place);
}

const EXPLORER: Page = {
  out: 'page.json',
  entry: 'src/main.tsx',
  title: 'svc explorer',
  base: '/ui',
  plain: '<a href="/">The list of routes</a> does not.',
};
const POOL: Page = {
  out: 'pool.json',
  entry: 'src/pool/main.tsx',
  title: 'svc pool',
  base: '',
  plain: '<a href="/v1/stats">Its figures for programs</a> do not.',
};

const PROVER = 'src/prove/prover-worker.ts';
const MINER = '../miner/src/browser/mining-worker.ts';
const WAITING = 'src/waiting/waiting-worker.ts';
const workers = await build({
  ...COMMON,
  publicPath: `${EXPLORER.base}/assets/`,
  entryPoints: [PROVER, MINER, WAITING],
});
const kernel = workers.outputFiles.find(({ path }) => path.endsWith('.wasm'));
if (kernel === undefined) throw new Error('the workers load no kernel');
const addressOf = (name: string) => JSON.stringify(`${EXPLORER.base}/assets/${name}`);
await writePage(
  EXPLORER,
  {
    PROVER_ADDRESS: addressOf(nameOf(workers, PROVER, '.js')),
    MINER_ADDRESS: addressOf(nameOf(workers, MINER, '.js')),
    WAITING_ADDRESS: addressOf(nameOf(workers, WAITING, '.js')),
    KERNEL_ADDRESS: addressOf(basename(kernel.path)),
  },
  workers.outputFiles,
);
await writePage(POOL);
