/**
 * Copies of a development network's data, by name: beside it on the disk, or in memory. Data on the disk may be copied
 * and restored only while it is closed; data in memory may be copied at any time.
 */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { gunzipSync, gzipSync } from 'node:zlib';
import { formatGenesis, type Genesis, parseGenesis } from 'svc-ledger';
import { type DiskParts, MemoryDisks } from './memory-disks.ts';

export interface Dump {
  readonly genesis: Genesis;
  /** The time by which cuts were made when the network was dumped. */
  readonly nowMillis: number;
  readonly parts: DiskParts;
}

const FORMAT = 'svc-devnet-1';
/** Before compression; more than a network that runs for days in memory can have. */
const DUMP_BYTES_MAX = 2 ** 31;
const FAST = 1;

/** Throws a `RangeError` if the network has grown beyond what can be loaded again. */
export function encodeDump({ genesis, nowMillis, parts }: Dump): Uint8Array {
  let bytes = 0;
  for (const entries of parts.stores.values())
    for (const [key, value] of entries) bytes += key.length + value.length;
  if (bytes > DUMP_BYTES_MAX)
    throw new RangeError(`the network has ${bytes} bytes; a dump has at most ${DUMP_BYTES_MAX}`);
  const dump = { format: FORMAT, nowMillis, genesis: formatGenesis(genesis), parts };
  return new Uint8Array(gzipSync(serialize(dump), { level: FAST }));
}

/** Throws a `RangeError` if the bytes are no whole dump of this release. The kernel must be loaded before. */
export function decodeDump(bytes: Uint8Array): Dump {
  try {
    const { format, nowMillis, genesis, parts } = deserialize(
      gunzipSync(bytes, { maxOutputLength: DUMP_BYTES_MAX }),
    );
    if (format === FORMAT) return { genesis: parseGenesis(genesis), nowMillis, parts };
  } catch (cause) {
    throw new RangeError('the bytes are no dump of a development network', { cause });
  }
  throw new RangeError(`expected a dump of the format ${FORMAT}; make it again with this release`);
}

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
