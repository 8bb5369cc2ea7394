/**
 * The folder of datasets: which file belongs to which period, and which are of no more use.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^period-([0-9]{1,15})\.dataset(\.new)?$/;

export function datasetPath(folder: string, period: number): string {
  return join(folder, `period-${period}.dataset`);
}

/** Removes datasets of earlier periods, and what an interrupted process left unfinished. */
export async function removeOldDatasets(folder: string, oldest: number): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const old = names.filter((name) => {
    const [, period, unfinished] = NAME.exec(name) ?? [];
    return period !== undefined && (unfinished !== undefined || Number(period) < oldest);
  });
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })));
  return old;
}
