/**
 * Copies of a development network's data, by name, beside it. They may be taken and brought back only while
 * nobody has the data open.
 */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const NAME = /^snapshot-[1-9][0-9]{0,8}$/;

export class Snapshots {
  readonly #folder: string;
  readonly #data: string;
  #last = 0;

  /** `data` is the name of the folder in the directory that is copied. */
  constructor(directory: string, data: string) {
    this.#folder = join(directory, 'snapshots');
    this.#data = join(directory, data);
  }

  /** A name that no snapshot has had. */
  newName(): string {
    let name: string;
    do name = `snapshot-${++this.#last}`;
    while (existsSync(this.#pathOf(name)));
    return name;
  }

  /** Throws a `RangeError` if there is no such snapshot. */
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
