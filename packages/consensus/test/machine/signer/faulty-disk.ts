/**
 * A disk in which nothing lasts before it is synced. It can lose its power after any step, and then
 * come back in every state that a file system may leave: the directory before or after a rename, the
 * bytes of a file whole, missing or torn.
 */
import type { SignStateStorage } from '../../../src/machine/index.ts';

export class PowerLoss extends Error {}
export class DiskError extends Error {}

interface File {
  readonly written: Uint8Array;
  isSynced: boolean;
}

interface Directory {
  readonly record: File | undefined;
  readonly temporary: File | undefined;
}

export const STEPS = [
  'writeTemporary',
  'syncTemporary',
  'renameTemporary',
  'syncDirectory',
] as const;
export type DiskStep = (typeof STEPS)[number];

const TORN_AT = [0, 1, 8, 60, 0.5, 0.99] as const;

export class FaultyDisk implements SignStateStorage {
  #durable: Directory;
  #current: Directory;
  /** How many steps succeed before the power is lost. */
  stepsLeft = Number.POSITIVE_INFINITY;
  /** Steps that fail with an error while the process lives on. */
  readonly failing = new Set<DiskStep>();
  /** Steps that report success and do nothing: the faults of the control tests. */
  readonly ignored: ReadonlySet<DiskStep>;

  constructor(record?: Uint8Array, ignored: ReadonlySet<DiskStep> = new Set()) {
    const file = record === undefined ? undefined : { written: record, isSynced: true };
    this.#durable = { record: file, temporary: undefined };
    this.#current = this.#durable;
    this.ignored = ignored;
  }

  read(): Uint8Array | undefined {
    return this.#current.record?.written;
  }

  writeTemporary(bytes: Uint8Array): void {
    if (!this.#takes('writeTemporary')) return;
    const temporary = { written: bytes, isSynced: false };
    this.#current = { ...this.#current, temporary };
  }

  syncTemporary(): void {
    if (!this.#takes('syncTemporary')) return;
    if (this.#current.temporary !== undefined) this.#current.temporary.isSynced = true;
  }

  renameTemporary(): void {
    if (!this.#takes('renameTemporary')) return;
    this.#current = { record: this.#current.temporary, temporary: undefined };
  }

  syncDirectory(): void {
    if (this.#takes('syncDirectory')) this.#durable = this.#current;
  }

  #takes(step: DiskStep): boolean {
    if (this.stepsLeft <= 0) throw new PowerLoss();
    this.stepsLeft -= 1;
    if (this.failing.has(step)) throw new DiskError(step);
    return !this.ignored.has(step);
  }

  /** Every disk that may be found when the power is back. */
  afterPowerLoss(): FaultyDisk[] {
    const found = [this.#durable, this.#current].flatMap(({ record }) => contentsOf(record));
    const distinct = new Map(found.map((bytes) => [String(bytes), bytes]));
    return [...distinct.values()].map((bytes) => new FaultyDisk(bytes, this.ignored));
  }
}

function contentsOf(file: File | undefined): (Uint8Array | undefined)[] {
  if (file === undefined) return [undefined];
  const { written } = file;
  if (file.isSynced) return [written];
  const torn = TORN_AT.map((at) => written.slice(0, at < 1 ? written.length * at : at));
  return [written, ...torn];
}
