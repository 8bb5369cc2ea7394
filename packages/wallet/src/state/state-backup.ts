/**
 * A copy of the state beside it, made while the wallet works. There is one, which a newer one replaces when it is whole
 * and on the disk. Putting it back is the owner's: a process that has the state open never reads it.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectorySync } from 'svc-base/node';
import { createSecret } from '../file/secret-file.ts';
import type { Database } from './database.ts';

export interface MadeBackup {
  readonly path: string;
  readonly bytes: number;
}

export class StateBackup {
  readonly #path: string;
  readonly #database: Pick<Database, 'copyTo'>;
  #running: Promise<MadeBackup> | undefined;

  /** Of the state at a path, which is open. */
  constructor(path: string, database: Pick<Database, 'copyTo'>) {
    this.#path = path;
    this.#database = database;
  }

  /** Who asks while one is being made gets that one. */
  make(): Promise<MadeBackup> {
    this.#running ??= this.#make().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #make(): Promise<MadeBackup> {
    const path = `${this.#path}.backup`;
    const unfinished = `${path}.new`;
    rmSync(unfinished, { force: true });
    createSecret(unfinished, new Uint8Array(0));
    await this.#database.copyTo(unfinished);
    const file = openSync(unfinished, 'r+');
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path);
    syncDirectorySync(dirname(path));
    return { path, bytes: statSync(path).size };
  }
}
