/**
 * Completes package-lock.json after `npm install`: a registry that lacks a platform binary makes
 * npm leave that optional package out of the lock, and `npm ci` then refuses the lock everywhere.
 * Each entry that is missing is added with the platform in its name, so that it is fetched only
 * there. What an optional package asks of Node is taken out: npm would leave the package out if the
 * Node that installs is too old, though the Node of the lock runs it. Usage: npm install … && node tools/complete-lock.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8'));
const systems = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'aix',
  'win32',
];
const processors = [
  'arm64',
  'arm',
  'x64',
  'ia32',
  'ppc64',
  'riscv64',
  's390x',
  'loong64',
  'mips64el',
];

function platformOf(name) {
  const words = name.slice(name.indexOf('/') + 1).split('-');
  const os = systems.find((system) => words.includes(system));
  const cpu = processors.find((processor) => words.includes(processor));
  if (os === undefined || cpu === undefined) throw new Error(`${name}: the name has no platform`);
  const libc = words.some((word) => word.startsWith('musl')) ? { libc: ['musl'] } : {};
  return { cpu: [cpu], os: [os], ...libc };
}

const added = [];
for (const [where, entry] of Object.entries(lock.packages)) {
  if (where === '') continue;
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (lock.packages[key] !== undefined) continue;
    lock.packages[key] = {
      version,
      ...(entry.dev ? { dev: true } : {}),
      license: entry.license,
      optional: true,
      ...platformOf(name),
    };
    added.push(name);
  }
}
for (const entry of Object.values(lock.packages)) if (entry.optional) delete entry.engines;
const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
lock.packages = Object.fromEntries(sorted);
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added.length} platform entries added\n`);
