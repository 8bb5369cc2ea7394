/** Every package in the lock has a permissive licence; the lock itself carries them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './check.ts';
import { ROOT } from './repository.ts';

const PERMISSIVE: readonly string[] = [
  'MIT',
  'ISC',
  'Apache-2.0',
  'Apache 2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'MIT OR Apache-2.0',
  'Apache-2.0 OR MIT',
  '(MIT OR Apache-2.0)',
];

/** Tools of tests under another free licence: they are run on our work and are no part of what is built or published. */
const TEST_TOOLS: Readonly<Record<string, string>> = { 'node_modules/axe-core': 'MPL-2.0' };

interface LockEntry {
  readonly link?: boolean;
  readonly license?: string;
  readonly version?: string;
}

export const licences: Check = {
  name: 'licences',
  run: async () => licenceProblems(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')),
};

export function licenceProblems(lockText: string): string[] {
  const { packages } = JSON.parse(lockText) as { packages: Record<string, LockEntry> };
  return Object.entries(packages)
    .filter(
      ([path, entry]) =>
        path !== '' &&
        entry.link !== true &&
        !PERMISSIVE.includes(entry.license ?? '') &&
        TEST_TOOLS[path] !== entry.license,
    )
    .map(([path, entry]) => `${path}@${entry.version}: licence ${entry.license ?? 'not given'}`);
}
