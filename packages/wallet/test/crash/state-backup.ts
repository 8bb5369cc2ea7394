/**
 * A copy of a wallet's state, taken while no process has it open, and put back in place of a newer one. The files beside
 * it, such as the journal copy, are left as they are.
 */
import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { statePath } from '../../src/state/open-state.ts';

const BACKUP = '.backup';

export class StateBackup {
  readonly #path: string;

  constructor(walletFile: string) {
    this.#path = statePath(walletFile);
    for (const file of this.#files(BACKUP)) rmSync(file);
    for (const file of this.#files('')) copyFileSync(file, `${file}${BACKUP}`);
  }

  restore(): void {
    for (const file of this.#files('')) rmSync(file);
    for (const file of this.#files(BACKUP)) copyFileSync(file, file.slice(0, -BACKUP.length));
  }

  /** The database, its log and its checksum, or the copies of them. */
  #files(ending: string): string[] {
    const directory = dirname(this.#path);
    if (!existsSync(directory)) return [];
    return readdirSync(directory)
      .filter((name) => name.startsWith(basename(this.#path)))
      .filter((name) => name.endsWith(BACKUP) === (ending === BACKUP) && !name.endsWith('-shm'))
      .map((name) => join(directory, name));
  }
}
