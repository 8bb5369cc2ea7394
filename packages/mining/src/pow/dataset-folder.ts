/**
 * The folder of datasets: which file belongs to which period, and which are of no more use.
 */
import { readdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from 'svc-base/node';

/** Characters of a chain's id that name its folder: enough that no two chains of a machine meet. */
const CHAIN_CHARACTERS = 16;

/** Where the mining programs of a user keep datasets together by default. */
export function userDatasetFolder(): string {
  const caches = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(caches, 'svc', 'dataset');
}

/** The folder of one chain, below that of all. */
export function chainDatasetFolder(folder: string, chainId: string): string {
  return join(folder, chainId.slice(0, CHAIN_CHARACTERS));
}

/**
 * `period-3.dataset`, its lock `period-3.dataset.lock`, or what process 4711 has under way beside it:
 * `period-3.dataset.4711.new`, `period-3.dataset.4711.0a1b2c3d.lock`.
 */
const NAME =
  /^period-([0-9]{1,15})\.dataset(?:\.lock|(\.(?:([0-9]{1,10})\.(?:[0-9a-f]{8}\.)?)?(?:new|lock|lock\.stale)))?$/;

export function datasetPath(folder: string, period: number): string {
  return join(folder, `period-${period}.dataset`);
}

/** Removes datasets of earlier periods, and what an interrupted process left unfinished. */
export async function removeOldDatasets(folder: string, oldest: number): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const old = names.filter((name) => {
    const [, period, unfinished, writer] = NAME.exec(name) ?? [];
    if (period === undefined) return false;
    return unfinished === undefined ? Number(period) < oldest : !mayWrite(writer);
  });
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })));
  return old;
}

function mayWrite(writer: string | undefined): boolean {
  return writer !== undefined && isAlive(Number(writer));
}
