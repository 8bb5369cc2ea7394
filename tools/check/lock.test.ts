import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

/** npm writes one name as a text. */
type Names = string | readonly string[];

interface LockEntry {
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly integrity?: string;
  readonly engines?: unknown;
  readonly os?: Names;
  readonly cpu?: Names;
  readonly libc?: Names;
}

/** The registry has no build of these for a machine that we support; they are passed over there. */
const ABSENT = ['node_modules/@chainsafe/libp2p-quic-linux-arm64-gnu'];

const file = new URL('../../package-lock.json', import.meta.url);
const { packages } = JSON.parse(readFileSync(file, 'utf8')) as {
  packages: Readonly<Record<string, LockEntry>>;
};
const fetched = Object.entries(packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && link !== true,
);

function isForUs({ os, cpu, libc }: LockEntry): boolean {
  const isOurs = (names: Names | undefined, ours: readonly string[]): boolean =>
    names === undefined || [names].flat().some((name) => ours.includes(name));
  return isOurs(os, ['linux']) && isOurs(cpu, ['x64', 'arm64']) && isOurs(libc, ['glibc']);
}

test('everything that a supported machine installs has its hash in the lock', () => {
  const bare = fetched.filter(([, entry]) => isForUs(entry) && entry.integrity === undefined);
  assert.deepEqual(
    bare.map(([path]) => path),
    ABSENT,
  );
  assert.ok(fetched.length > 200);
});

test('no optional package is left out for the Node that installs', () => {
  const asking = fetched.filter(([, { optional, engines }]) => optional && engines !== undefined);
  assert.deepEqual(
    asking.map(([path]) => path),
    [],
    'run tools/complete-lock.mjs',
  );
});
