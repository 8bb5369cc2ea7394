/**
 * The bundlers and runtimes that `npm run bundlers` tries `svc-wasm` with, and how each is used. They are installed
 * aside when they are asked for: some bring packages whose licences this repository does not take.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MILLIS_MAX = 180_000;

/** A folder in which `svc-wasm` and the packages of the candidate are installed, and `main.js` uses them. */
export interface Project {
  readonly folder: string;
}

export interface Candidate {
  readonly name: string;
  /** Exact versions. */
  readonly packages: readonly string[];
  /** `page`: makes a folder with an `index.html` for a browser. `program`: prints what `main.js` finds. */
  readonly kind: 'page' | 'program';
  /** The folder of the page, or what was printed. */
  readonly use: (project: Project) => Promise<string>;
}

const PAGE = (script: string): string =>
  `<!doctype html><meta charset="utf-8"><title>app</title><script type="module" src="${script}"></script>`;

export const CANDIDATES: readonly Candidate[] = [
  { name: 'esbuild', packages: ['esbuild@0.28.2'], kind: 'page', use: withEsbuild },
  { name: 'Vite', packages: ['vite@8.3.8', 'rolldown@1.2.18'], kind: 'page', use: withVite },
  { name: 'webpack', packages: ['webpack@5.112.2'], kind: 'page', use: withWebpack },
  { name: 'Rollup', packages: ['rollup@4.68.2'], kind: 'page', use: withRollup },
  { name: 'Bun', packages: ['bun@1.4.4'], kind: 'program', use: withBun },
  { name: 'Deno', packages: ['deno@2.9.5'], kind: 'program', use: withDeno },
];

/** Runs a script of Node in the project: the interfaces of bundlers are called, not their command lines. */
async function node(folder: string, source: string): Promise<void> {
  const script = join(folder, 'build.mjs');
  writeFileSync(script, source);
  await run(process.execPath, [script], { cwd: folder, timeout: MILLIS_MAX });
}

/** Bundlers that copy no files leave the kernel to whoever uses them. */
function copyKernel(folder: string, out: string): void {
  const release = join(folder, 'node_modules', 'svc-wasm');
  for (const name of ['svc.wasm', 'svc.scalar.wasm'])
    copyFileSync(join(release, name), join(out, name));
}

async function withEsbuild({ folder }: Project): Promise<string> {
  const out = join(folder, 'dist');
  await node(
    folder,
    `import { build } from 'esbuild';
     await build({ entryPoints: ['main.js'], outdir: 'dist', bundle: true, minify: true, format: 'esm',
       conditions: ['browser'], logLevel: 'error' });`,
  );
  copyKernel(folder, out);
  writeFileSync(join(out, 'index.html'), PAGE('./main.js'));
  return out;
}

async function withVite({ folder }: Project): Promise<string> {
  writeFileSync(join(folder, 'index.html'), PAGE('/main.js'));
  await node(
    folder,
    `import { build } from 'vite';
     await build({ base: './', logLevel: 'error', build: { target: 'es2022' }, worker: { format: 'es' } });`,
  );
  return join(folder, 'dist');
}

async function withWebpack({ folder }: Project): Promise<string> {
  const out = join(folder, 'dist');
  await node(
    folder,
    `import webpack from 'webpack';
     const options = { mode: 'production', entry: './main.js', output: { path: ${JSON.stringify(out)}, filename: 'main.js' } };
     await new Promise((resolve, reject) => webpack(options, (error, stats) => {
       if (error || stats.hasErrors()) reject(error ?? new Error(stats.toString('errors-only')));
       else resolve();
     }));`,
  );
  writeFileSync(join(out, 'index.html'), PAGE('./main.js'));
  return out;
}

async function withRollup({ folder }: Project): Promise<string> {
  const out = join(folder, 'dist');
  await node(
    folder,
    `import { rollup } from 'rollup';
     import { fileURLToPath } from 'node:url';
     const entry = fileURLToPath(new URL('./node_modules/svc-wasm/browser.js', import.meta.url));
     const plugin = { name: 'resolve', resolveId: (id) => (id === 'svc-wasm' ? entry : null) };
     const bundle = await rollup({ input: 'main.js', plugins: [plugin] });
     await bundle.write({ dir: 'dist', format: 'es' });`,
  );
  mkdirSync(out, { recursive: true });
  copyKernel(folder, out);
  writeFileSync(join(out, 'index.html'), PAGE('./main.js'));
  return out;
}

/** The program inside the package of a platform: installing runs no scripts. */
function programOf(folder: string, scope: string, path: readonly string[]): string {
  const scoped = join(folder, 'node_modules', scope);
  const [platform] = readdirSync(scoped);
  return join(scoped, platform ?? '', ...path);
}

async function withBun({ folder }: Project): Promise<string> {
  const program = programOf(folder, '@oven', ['bin', 'bun']);
  const { stdout } = await run(program, ['main.js'], { cwd: folder, timeout: MILLIS_MAX });
  return stdout;
}

async function withDeno({ folder }: Project): Promise<string> {
  const program = programOf(folder, '@deno', ['deno']);
  const args = ['run', '--allow-read', '--node-modules-dir=manual', 'main.js'];
  const { stdout } = await run(program, args, { cwd: folder, timeout: MILLIS_MAX });
  return stdout;
}
