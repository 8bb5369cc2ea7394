/**
 * Prepares a fresh clone, then runs a script with the project's own Node.
 *
 * Usage: node tools/bootstrap.mjs [script.ts [arguments…]]
 *
 * It runs on whatever Node the machine has (20 or later), so it uses no newer
 * interface, and it must stay quick when there is nothing to do: one hash of the
 * lock, one of the kernel's sources, one of the page's.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const binNode = join(
  root,
  'node_modules',
  '.bin',
  process.platform === 'win32' ? 'node.cmd' : 'node',
);

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

function run(command, args, what) {
  const environment = { ...process.env };
  delete environment.NODE_ENV;
  const done = spawnSync(command, args, { cwd: root, env: environment, stdio: ['ignore', 2, 2] });
  if (done.status === 0) return;
  say(`${what} failed (${done.error?.message ?? `exit code ${done.status ?? done.signal}`}).`);
  say(`The command was: ${command} ${args.join(' ')}`);
  process.exit(1);
}

function installPackages() {
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
  if (npm !== undefined) run(process.execPath, [npm, ...args], 'npm ci');
  else run('npm', args, 'npm ci');
  writeFileSync(stamp, value);
}

/** Runs a script of `tools` that fills the build folder of a package, unless its sources are those of the last time. */
function build(what, name, script, sourcesOf) {
  const folder = join(root, 'packages', name);
  const stamp = join(folder, 'build', '.stamp');
  const value = hashOf([...sourcesOf(folder), join(root, 'tools', script)]);
  if (stampHolds(stamp, value)) return;
  say(`building ${what} …`);
  rmSync(stamp, { force: true });
  mkdirSync(dirname(stamp), { recursive: true });
  run(binNode, [join(root, 'tools', script)], `the build of ${what}`);
  writeFileSync(stamp, value);
}

function buildKernel() {
  build('the kernel', 'protocol', 'build-kernel.ts', (folder) =>
    filesBelow(join(folder, 'assembly')),
  );
}

/** The page is bundled with the packages that it imports; what it takes of libraries is in the lock. */
function buildPage() {
  const bundled = ['page/src', 'api/src', 'base/src', 'client/src', 'protocol/src'];
  build('the page', 'page', 'build-page.ts', () => [
    ...bundled.flatMap((folder) => filesBelow(join(root, 'packages', folder))),
    join(root, 'packages', 'protocol', 'build', '.stamp'),
    join(root, 'package-lock.json'),
  ]);
}

function runScript(args) {
  // The script can tell by the channel that this process is gone, also after `kill -9`.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  const child = spawn(binNode, args, { cwd: root, stdio });
  const forward = (signal) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward);
  child.on('error', (error) => {
    say(`cannot start ${binNode}: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) =>
    process.exit(signal === null ? code : 128 + constants.signals[signal]),
  );
}

if (Number(process.versions.node.split('.')[0]) < 20) {
  say(`Node 20 or later is needed to start; this is ${process.version}.`);
  process.exit(1);
}
installPackages();
buildKernel();
buildPage();
if (process.argv.length > 2) runScript(process.argv.slice(2));
