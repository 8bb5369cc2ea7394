/**
 * Prepares a fresh clone, then runs a script with the project's own Node.
 *
 * Usage: node tools/bootstrap.mjs [script.ts [arguments…]]
 *
 * It runs on whatever Node the machine has (20 or later), so it uses no newer interface, and it
 * must stay quick when there is nothing to do: one hash of the lock, one of the kernel's sources,
 * one of the page's. `--help` shows the first comment of a script at once, with nothing installed.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const binNode = join(
  root,
  'node_modules',
  '.bin',
  process.platform === 'win32' ? 'node.cmd' : 'node',
);

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Scripts that answer `--help` themselves; the first comment of every other one says how it is used. */
const HELPFUL = ['tools/start.ts', 'tools/demo.ts', 'packages/simulator/src/main.ts'];
/** Sent by a script that takes signals over its channel, and drops those that a terminal sent to both processes. */
const FOLLOWS = 'follows';

function say(text) {
  process.stderr.write(`svc: ${text}\n`);
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
}

function hashOf(paths) {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}\n`);
  for (const path of paths) hash.update(`${relative(root, path)}\n`).update(readFileSync(path));
  return hash.digest('hex');
}

function stampHolds(stamp, value) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === value;
}

/**
 * Runs a process, and passes on the signals that would end this one: interrupting an installation must not leave
 * it at work. Resolves with how the process ended, and whether a signal came meanwhile.
 */
function ended(command, args, options) {
  const child = spawn(command, args, { cwd: root, ...options });
  let isInterrupted = false;
  let isFollowing = false;
  child.on('message', (message) => {
    isFollowing ||= message === FOLLOWS;
  });
  const forward = (name) => {
    isInterrupted = true;
    if (isFollowing && child.connected) child.send(name, () => undefined);
    else child.kill(name);
  };
  for (const name of SIGNALS) process.on(name, forward);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) =>
      resolve({ code: code ?? 128 + constants.signals[signal], isInterrupted }),
    );
  }).finally(() => {
    for (const name of SIGNALS) process.off(name, forward);
  });
}

/** Runs one step of the preparation; a step that fails or is interrupted ends this process. */
async function run(command, args, what) {
  const environment = { ...process.env };
  delete environment.NODE_ENV;
  const options = { env: environment, stdio: ['ignore', 2, 2] };
  const { code, isInterrupted, error } = await ended(command, args, options).catch((error) => ({
    error,
  }));
  if (isInterrupted) {
    say(`${what} was interrupted; it begins anew at the next start.`);
    process.exit(code || 1);
  }
  if (code === 0) return;
  say(`${what} failed (${error?.message ?? `exit code ${code}`}).`);
  say(`The command was: ${command} ${args.join(' ')}`);
  process.exit(1);
}

async function installPackages() {
  const stamp = join(root, 'node_modules', '.svc-bootstrap');
  const value = hashOf([join(root, 'package-lock.json')]);
  if (stampHolds(stamp, value)) return;
  say('installing packages (once, about 15 s) …');
  const npm = process.env.npm_execpath;
  const args = [
    'ci',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  if (npm !== undefined) await run(process.execPath, [npm, ...args], 'npm ci');
  else await run('npm', args, 'npm ci');
  writeFileSync(stamp, value);
}

/** Runs a script of `tools` that fills the build folder of a package, unless its sources are those of the last time. */
async function build(what, name, script, sourcesOf) {
  const folder = join(root, 'packages', name);
  const stamp = join(folder, 'build', '.stamp');
  const value = hashOf([...sourcesOf(folder), join(root, 'tools', script)]);
  if (stampHolds(stamp, value)) return;
  say(`building ${what} …`);
  rmSync(stamp, { force: true });
  mkdirSync(dirname(stamp), { recursive: true });
  await run(binNode, [join(root, 'tools', script)], `the build of ${what}`);
  writeFileSync(stamp, value);
}

async function buildKernel() {
  await build('the kernel', 'protocol', 'build-kernel.ts', (folder) =>
    filesBelow(join(folder, 'assembly')),
  );
}

/** The page is bundled with the packages that it imports; what it takes of libraries is in the lock. */
async function buildPage() {
  const bundled = ['page', 'api', 'base', 'client', 'miner', 'mining', 'protocol'].map(
    (name) => `${name}/src`,
  );
  await build('the page', 'page', 'build-page.ts', () => [
    ...bundled.flatMap((folder) => filesBelow(join(root, 'packages', folder))),
    join(root, 'packages', 'protocol', 'build', '.stamp'),
    join(root, 'package-lock.json'),
  ]);
}

async function runScript(args) {
  // The script knows by the channel that this process is gone, also after `kill -9`.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  const { code } = await ended(binNode, args, { stdio }).catch((error) => {
    say(`cannot start ${binNode}: ${error.message}`);
    return { code: 1 };
  });
  process.exit(code);
}

/** The first comment of a script, as text. */
function usageOf(script) {
  const [, comment = ''] =
    /\/\*\*(.*?)\*\//s.exec(readFileSync(resolve(root, script), 'utf8')) ?? [];
  return comment.replaceAll(/^ *\* ?/gm, '').trim();
}

if (Number(process.versions.node.split('.')[0]) < 20) {
  say(`Node 20 or later is needed to start; this is ${process.version}.`);
  process.exit(1);
}
const [script, ...words] = process.argv.slice(2);
if (words.includes('--help') && !HELPFUL.includes(script)) {
  process.stdout.write(`${usageOf(script)}\n`);
  process.exit(0);
}
await installPackages();
await buildKernel();
await buildPage();
if (script !== undefined) await runScript([script, ...words]);
