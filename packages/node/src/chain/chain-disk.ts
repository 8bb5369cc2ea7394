/**
 * Where a chain keeps its store and the validator sets of earlier epochs: a directory in a node, memory in
 * simulations and development networks.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFileSync } from 'svc-base/node';
import { type LedgerStore, openStore, readWhole, type StoreOptions } from 'svc-storage';

export interface SetFiles {
  /** Names the file of an epoch to an operator. */
  nameOf(epoch: number): string;
  read(epoch: number): Uint8Array | undefined;
  /** Keeps the encoded set of an epoch durably. */
  write(epoch: number, encoded: Uint8Array): void;
  forgetBefore(epoch: number): void;
}

export interface ChainDisk {
  readonly sets: SetFiles;
  openStore(options: StoreOptions): Promise<LedgerStore>;
}

const SUFFIX = '.set';
const UNREADABLE_ADVICE =
  'run `svcd repair`, which removes it: peers are asked for the set when evidence names it';

export class DirectoryDisk implements ChainDisk, SetFiles {
  readonly #directory: string;
  readonly #cacheBytes: number | undefined;

  /** `<data>/chain`. */
  constructor(directory: string, cacheBytes?: number) {
    this.#directory = directory;
    this.#cacheBytes = cacheBytes;
  }

  get sets(): SetFiles {
    return this;
  }

  openStore(options: StoreOptions): Promise<LedgerStore> {
    const cache = this.#cacheBytes === undefined ? {} : { cacheBytes: this.#cacheBytes };
    return openStore({ ...options, ...cache, directory: this.#directory });
  }

  nameOf(epoch: number): string {
    return join(this.#setDirectory, `${epoch}${SUFFIX}`);
  }

  read(epoch: number): Uint8Array | undefined {
    try {
      return readWhole(this.nameOf(epoch), UNREADABLE_ADVICE);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  write(epoch: number, encoded: Uint8Array): void {
    mkdirSync(this.#setDirectory, { recursive: true, mode: 0o700 });
    replaceFileSync(this.nameOf(epoch), encoded);
  }

  forgetBefore(epoch: number): void {
    for (const name of readdirSync(this.#setDirectory))
      if (Number.parseInt(name, 10) < epoch)
        rmSync(join(this.#setDirectory, name), { force: true });
  }

  get #setDirectory(): string {
    return join(this.#directory, 'sets');
  }
}

export class MemorySets implements SetFiles {
  readonly #sets: Map<number, Uint8Array>;

  constructor(sets: Iterable<readonly [epoch: number, encoded: Uint8Array]> = []) {
    this.#sets = new Map(sets);
  }

  entries(): Iterable<readonly [epoch: number, encoded: Uint8Array]> {
    return this.#sets;
  }

  nameOf(epoch: number): string {
    return `the set of epoch ${epoch}`;
  }

  read(epoch: number): Uint8Array | undefined {
    return this.#sets.get(epoch);
  }

  write(epoch: number, encoded: Uint8Array): void {
    this.#sets.set(epoch, encoded);
  }

  forgetBefore(epoch: number): void {
    for (const known of this.#sets.keys()) if (known < epoch) this.#sets.delete(known);
  }
}
