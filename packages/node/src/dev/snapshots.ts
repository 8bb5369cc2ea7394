/**
 * Copies of a development network's data, by name: beside it on the disk, or in memory. Data on the disk may be copied
 * and brought back only while nobody has it open; data in memory may be copied at any time.
 */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MemoryDisks } from './memory-disks.ts';

export interface Snapshots {
  /** The disks of a network in memory, those of the last snapshot that was brought back; undefined on a real disk. */
  readonly disks: MemoryDisks | undefined;
  /** A name that no snapshot has had. */
  newName(): string;
  /** Throws a `RangeError` if there is no such snapshot. */
  expect(name: string): void;
  save(name: string): void;
  restore(name: string): void;
}

const NAME = /^snapshot-[1-9][0-9]{0,8}$/;

export class MemorySnapshots implements Snapshots {
  readonly #kept = new Map<string, MemoryDisks>();
  #disks: MemoryDisks;
  #last = 0;

  constructor(disks: MemoryDisks = new MemoryDisks()) {
    this.#disks = disks;
  }

  get disks(): MemoryDisks {
    return this.#disks;
  }

  newName(): string {
    return `snapshot-${++this.#last}`;
  }

  expect(name: string): void {
    this.#find(name);
  }

  save(name: string): void {
    this.#kept.set(name, this.#disks.copy());
  }

  restore(name: string): void {
    this.#disks = this.#find(name).copy();
  }

  #find(name: string): MemoryDisks {
    const found = this.#kept.get(name);
    if (found === undefined) throw new RangeError('there is no snapshot of that name');
    return found;
  }
}

export class DirectorySnapshots implements Snapshots {
  readonly disks = undefined;
  readonly #folder: string;
  readonly #data: string;
  #last = 0;

  /** `data` is the name of the folder in the directory that is copied. */
  constructor(directory: string, data: string) {
    this.#folder = join(directory, 'snapshots');
    this.#data = join(directory, data);
  }

  newName(): string {
    let name: string;
    do name = `snapshot-${++this.#last}`;
    while (existsSync(this.#pathOf(name)));
    return name;
  }

  expect(name: string): void {
    if (NAME.test(name) && existsSync(this.#pathOf(name))) return;
    throw new RangeError('there is no snapshot of that name');
  }

  save(name: string): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    copyWhole(this.#data, this.#pathOf(name));
  }

  restore(name: string): void {
    const [copy, old] = [`${this.#data}.copy`, `${this.#data}.old`];
    copyWhole(this.#pathOf(name), copy);
    rmSync(old, { recursive: true, force: true });
    renameSync(this.#data, old);
    renameSync(copy, this.#data);
    rmSync(old, { recursive: true });
  }

  #pathOf(name: string): string {
    return join(this.#folder, name);
  }
}

/** Copies a folder under another name first, so that an interrupted copy is never used. */
function copyWhole(from: string, to: string): void {
  const unfinished = `${to}.unfinished`;
  for (const path of [unfinished, to]) rmSync(path, { recursive: true, force: true });
  cpSync(from, unfinished, { recursive: true });
  renameSync(unfinished, to);
}
