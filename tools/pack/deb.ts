/**
 * Makes a Debian package of the programs: what `npm install` would put into `/opt/svc`, with the Node of the lock, the
 * units of `ops/systemd` and commands in `/usr/bin`. It needs `dpkg-deb` and nothing of the registry. Paths are
 * relative to the files, so a package that is unpacked into any folder runs there.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { PROTOCOL, ROOT } from '../release/paths.ts';
import { makePackageFolder } from './package-folder.ts';
import { PROGRAMS } from './public-packages.ts';

export interface DebOptions {
  /** Names of programs; all of them unless named. */
  readonly programs?: readonly string[];
  /** How `dpkg-deb` packs; a test packs nothing. */
  readonly compression?: 'xz' | 'none';
}

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const PREFIX = join('opt', 'svc', 'node_modules');
const UNITS = join('usr', 'lib', 'systemd', 'system');
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
/** Times of files in the package are no later than this, so that the same files give the same package. */
const EPOCH_SECONDS = '0';
/** Sources and builds for other machines, which a native package brings along. */
const LEFT_OUT = /^(?:deps|binding\.cc|binding\.gyp)$/;

/** Writes `svc_<version>_<architecture>.deb` into the folder and returns its path. */
export async function makeDeb(folder: string, options: DebOptions = {}): Promise<string> {
  const { programs = PROGRAMS.map(({ name }) => name), compression = 'xz' } = options;
  const architecture = ARCHITECTURES[process.arch];
  if (architecture === undefined) throw new RangeError(`no package is made for ${process.arch}`);
  const { version } = manifestOf(PROTOCOL);
  const tree = join(folder, 'deb');
  rmSync(tree, { recursive: true, force: true });
  const modules = join(tree, PREFIX);
  mkdirSync(join(modules, '.bin'), { recursive: true });
  mkdirSync(join(tree, 'usr', 'bin'), { recursive: true });
  for (const name of programs) await addProgram(tree, name);
  addNode(modules);
  addUnits(tree, programs);
  addControl(tree, { version, architecture });
  const file = join(folder, `svc_${version}_${architecture}.deb`);
  const words = ['--root-owner-group', `-Z${compression}`, '--build', tree, file];
  execFileSync('dpkg-deb', words, {
    env: { ...process.env, SOURCE_DATE_EPOCH: EPOCH_SECONDS },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  rmSync(tree, { recursive: true, force: true });
  return file;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

async function addProgram(tree: string, name: string): Promise<void> {
  const wish = PROGRAMS.find((program) => program.name === name);
  if (wish === undefined) throw new RangeError(`there is no program ${name}`);
  const modules = join(tree, PREFIX);
  const target = join(modules, name);
  mkdirSync(target, { recursive: true });
  await makePackageFolder(wish, target);
  for (const needed of Object.keys(manifestOf(target).dependencies ?? {}))
    addDependency(modules, needed);
  const command = join(modules, '.bin', name);
  writeFileSync(command, commandText(name));
  chmodSync(command, 0o755);
  const link = join(tree, 'usr', 'bin', name);
  symlinkSync(relative(join(tree, 'usr', 'bin'), command), link);
}

/** The command does not need a Node of the machine, unlike the file in `bin` of the program. */
function commandText(name: string): string {
  return `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
exec "$here/node" "$here/../${name}/bin/${name}.js" "$@"
`;
}

/** A package as the lock installed it, and all that it needs. */
function addDependency(modules: string, name: string): void {
  const target = join(modules, name);
  if (existsSync(target)) return;
  const source = join(ROOT, 'node_modules', name);
  cpSync(source, target, { recursive: true, filter: (path) => isWanted(relative(source, path)) });
  for (const needed of Object.keys(manifestOf(source).dependencies ?? {}))
    if (!existsSync(join(source, 'node_modules', needed))) addDependency(modules, needed);
}

function isWanted(path: string): boolean {
  const [first = '', second = ''] = path.split('/');
  if (first === 'prebuilds' && second !== '')
    return second === `${process.platform}-${process.arch}`;
  return !LEFT_OUT.test(first);
}

function addNode(modules: string): void {
  const name = `node-${process.platform}-${process.arch}`;
  const target = join(modules, name);
  mkdirSync(join(target, 'bin'), { recursive: true });
  for (const file of ['package.json', 'LICENSE', join('bin', 'node')])
    cpSync(join(ROOT, 'node_modules', name, file), join(target, file));
  symlinkSync(join('..', name, 'bin', 'node'), join(modules, '.bin', 'node'));
}

function addUnits(tree: string, programs: readonly string[]): void {
  const units = join(tree, UNITS);
  mkdirSync(units, { recursive: true });
  for (const file of readdirSync(join(ROOT, 'ops', 'systemd')))
    if (programs.includes(file.replace(/\.service$/, '')))
      cpSync(join(ROOT, 'ops', 'systemd', file), join(units, file));
}

/** The service runs as a user of its own, which is created once and stays. Installing starts nothing. */
function addControl(
  tree: string,
  { version, architecture }: { readonly version: string; readonly architecture: string },
): void {
  const control = join(tree, 'DEBIAN');
  mkdirSync(control, { recursive: true, mode: 0o755 });
  writeFileSync(
    join(control, 'control'),
    `Package: svc
Version: ${version}
Architecture: ${architecture}
Maintainer: svc
Section: net
Priority: optional
Depends: libc6, libstdc++6, passwd
Description: node, wallet and mining programs of svc
 A proof-of-work ledger whose history is made final by cuts that a stake-weighted
 committee signs. The package brings its own Node.
`,
  );
  const made = join(control, 'postinst');
  writeFileSync(
    made,
    `#!/bin/sh
set -e
id svc >/dev/null 2>&1 || useradd --system --home-dir /var/lib/svc --shell /usr/sbin/nologin svc
`,
  );
  chmodSync(made, 0o755);
}
