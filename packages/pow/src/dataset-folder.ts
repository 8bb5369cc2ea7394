/**
 * The folder of datasets: which file belongs to which period, and which are of no more use.
 */
import { readdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Characters of a chain's id that name its folder: enough that no two chains of a machine meet. */
const CHAIN_CHARACTERS = 16;

/** Where the mining programs of a user keep datasets together, unless told otherwise. */
export function userDatasetFolder(): string {
  const caches = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(caches, 'svc', 'dataset');
}

/** The folder of one chain, below that of all. */
export function chainDatasetFolder(folder: string, chainId: string): string {
  return join(folder, chainId.slice(0, CHAIN_CHARACTERS));
}

/** `period-3.dataset`, or `period-3.dataset.4711.new` while process 4711 writes it. */
const NAME = /^period-([0-9]{1,15})\.dataset(\.(?:([0-9]{1,10})\.)?new)?$/;

export function datasetPath(folder: string, period: number): string {
  return join(folder, `period-${period}.dataset`);
}

/** Removes datasets of earlier periods, and what an interrupted process left unfinished. */
export async function removeOldDatasets(folder: string, oldest: number): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const old = names.filter((name) => {
    const [, period, unfinished, writer] = NAME.exec(name) ?? [];
    if (period === undefined) return false;
    return unfinished === undefined ? Number(period) < oldest : !isAlive(writer);
  });
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })));
  return old;
}

/** Whether a process of this number may still write its file. */
function isAlive(writer: string | undefined): boolean {
  if (writer === undefined) return false;
  try {
    return process.kill(Number(writer), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
