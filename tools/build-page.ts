/**
 * Bundles `packages/page/src` into what a node serves under `/ui`: files whose names have the hash of what is in them, with
 * their compressed forms, all in one `page.json`. The workers are built first, because the page has their names in it; the
 * style is in the shell, so that first content needs one request.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type BuildOptions, type BuildResult, build } from 'esbuild';

const folder = fileURLToPath(new URL('../packages/page/', import.meta.url));
const PUBLIC_PATH = '/ui/assets/';
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
  publicPath: PUBLIC_PATH,
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

/** The address of the file that an entry became. */
function addressOf({ metafile }: Built, entry: string, ending: string): string {
  const found = Object.entries(metafile.outputs).find(
    ([path, { entryPoint }]) => entryPoint === entry && path.endsWith(ending),
  );
  if (found === undefined) throw new Error(`${entry} became no file`);
  return PUBLIC_PATH + basename(found[0]);
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

const PROVER = 'src/prove/prover-worker.ts';
const MINER = '../miner/src/browser/mining-worker.ts';
const workers = await build({ ...COMMON, entryPoints: [PROVER, MINER] });
const kernel = workers.outputFiles.find(({ path }) => path.endsWith('.wasm'));
if (kernel === undefined) throw new Error('the workers load no kernel');
const page = await build({
  ...COMMON,
  entryPoints: ['src/main.tsx', 'src/style/page.css'],
  splitting: true,
  define: {
    PROVER_ADDRESS: JSON.stringify(addressOf(workers, PROVER, '.js')),
    MINER_ADDRESS: JSON.stringify(addressOf(workers, MINER, '.js')),
    KERNEL_ADDRESS: JSON.stringify(PUBLIC_PATH + basename(kernel.path)),
  },
});
const styles = page.outputFiles.filter(({ path }) => path.endsWith('.css'));
const [{ text: style } = { text: '' }] = styles;
if (styles.length !== 1 || style.includes('<')) throw new Error('the style cannot be in the shell');
const shell = readFileSync(join(folder, 'src', 'shell.html'), 'utf8')
  .replace('{{script}}', addressOf(page, 'src/main.tsx', '.js'))
  .replace('<link rel="stylesheet" href="{{style}}">', () => `<style>${style}</style>`);
if (shell.includes('{{s')) throw new Error('the shell has a place that nothing was put into');
const files = [...workers.outputFiles, ...page.outputFiles].filter(
  (file) => !styles.includes(file),
);
const document = {
  style_hash: createHash('sha256').update(style).digest('base64'),
  shell: packed('index.html', Buffer.from(shell)),
  assets: files.map(({ path, contents }) => packed(basename(path), contents)),
};
const out = join(folder, 'build', 'page.json');
mkdirSync(join(folder, 'build'), { recursive: true });
writeFileSync(`${out}.new`, JSON.stringify(document));
renameSync(`${out}.new`, out);
