/**
 * Compares the engine's files with its manifest before it opens them: a table that is missing, cut short
 * or in another's place, and a log with a hole. The engine itself would notice only when it happens to read
 * there, or skip the hole.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreDamagedError } from '../errors.ts';
import { readLog } from './level-log.ts';
import { liveTables } from './level-manifest.ts';
import { firstKeyOf } from './level-table.ts';

const ADVICE = 'restore a backup, import a snapshot or sync anew';

/** Does nothing where there is no database yet. */
export function checkLevelFiles(directory: string): void {
  const current = join(directory, 'CURRENT');
  if (!existsSync(current)) {
    if (existsSync(directory) && readdirSync(directory).some((file) => isTable(file))) {
      throw damaged(directory, 'the file CURRENT is missing');
    }
    return;
  }
  const manifest = join(directory, readFileSync(current, 'utf8').trim());
  if (!existsSync(manifest)) throw damaged(directory, `${manifest} is missing`);
  const content = readLog(readFileSync(manifest));
  if (content.damaged || content.records.length === 0) {
    throw damaged(directory, `${manifest} is damaged`);
  }
  for (const table of liveTables(content.records)) checkTable(directory, table);
  for (const file of readdirSync(directory)) {
    if (!file.endsWith('.log')) continue;
    if (readLog(readFileSync(join(directory, file))).damaged) {
      throw damaged(directory, `${file} has a hole`);
    }
  }
}

function isTable(file: string): boolean {
  return file.endsWith('.ldb') || file.endsWith('.sst');
}

function checkTable(
  directory: string,
  { number, size, smallest }: { number: number; size: number; smallest: Uint8Array },
): void {
  const name = String(number).padStart(6, '0');
  const path = ['.ldb', '.sst'].map((end) => join(directory, name + end)).find(existsSync);
  if (path === undefined) throw damaged(directory, `${name}.ldb is missing`);
  const found = statSync(path).size;
  if (found !== size) {
    throw damaged(directory, `${name}.ldb has ${found} bytes instead of ${size}`);
  }
  const first = firstKeyOf(path, size);
  if (first === undefined || Buffer.compare(first, smallest) !== 0) {
    throw damaged(directory, `${name}.ldb does not hold the keys that belong into it`);
  }
}

function damaged(directory: string, what: string): StoreDamagedError {
  return new StoreDamagedError(`the database in ${directory} is damaged: ${what}; ${ADVICE}`);
}
