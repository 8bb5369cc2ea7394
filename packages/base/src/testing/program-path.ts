/**
 * Where the programs are that tests start as processes. A whole run of the tests bundles them first as they are packed,
 * and names their folder: what ships is then what is tested, and a process starts in half the time. Tests that run by
 * themselves start the sources, and so do mutated ones, since a mutation changes sources as they are loaded.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The packages that the programs are in. */
const PACKAGES = {
  svcd: 'node',
  'svc-bridge': 'bridge',
  'svc-miner': 'miner',
  'svc-pool': 'pool',
  'svc-signer': 'consensus',
  'svc-wallet': 'wallet',
} as const;

export type ProgramName = keyof typeof PACKAGES;
export const PROGRAM_NAMES = Object.keys(PACKAGES) as readonly ProgramName[];

/** Names the folder of the bundled programs. */
export const PROGRAMS_VARIABLE = 'SVC_TEST_PROGRAMS';

export function programPath(name: ProgramName): string {
  const { [PROGRAMS_VARIABLE]: bundled, SVC_MUTATION: mutation } = process.env;
  const file = join('bin', `${name}.js`);
  if (bundled !== undefined && mutation === undefined) return join(bundled, name, file);
  return fileURLToPath(new URL(`../../../${PACKAGES[name]}/${file}`, import.meta.url));
}
