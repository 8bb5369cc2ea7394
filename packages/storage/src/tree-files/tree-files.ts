/**
 * The memory of the state trees in files beside the database, so that a start need not read and hash every bucket: all rows in the
 * file `trees`, and in logs what cuts have changed since. They count for one head only and have checksums; whatever is wrong with them
 * means that the trees are built from the database. They are never needed, so nothing of them is synced and nothing is lost with them;
 * where the system refuses them they are abandoned until the store is closed.
 *
 * Small trees have no logs, since they are built as fast as they are read.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StateTrees, TreeSource } from '../trees/state-trees.ts';
import { type BaseEnd, type BaseName, LINEAGE_BYTES } from './base-file.ts';
import { BaseTrees } from './base-trees.ts';
import { type BasePace, BaseWriter, writeBaseSync } from './base-writer.ts';
import { isOfSystem, type TreesCut } from './file-bytes.ts';
import { generationOf, TreeLog } from './tree-log.ts';

const FILE = 'trees';
const NEW_FILE = `${FILE}.new`;
const REMOVED = { force: true, recursive: true } as const;

export interface TreeFilesPace extends BasePace {
  /** Smaller trees are saved only when the store is closed. */
  readonly tableBytesMin: number;
  /** With fewer bytes of logs no new base is written. */
  readonly logBytesMin: number;
}

/** About a millisecond of work, then a pause of more: the base of ten million outputs takes some ten seconds. */
const PACE: TreeFilesPace = {
  tableBytesMin: 16 << 20,
  logBytesMin: 64 << 20,
  pieceBytes: 1 << 20,
  pauseMillis: 20,
};
/** Logs are replaced when they have so many bytes for one of the base: applying a byte of them costs a start more than reading one. */
const LOG_PART_MAX = 0.5;

/** What a start reads: a base, and the logs from its generation on up to a place. */
interface Readable {
  readonly baseBytes: number;
  readonly generations: readonly number[];
  /** Bytes of these logs but the newest. */
  readonly olderBytes: number;
}

interface Building {
  readonly writer: BaseWriter;
  readonly name: BaseName;
  /** A record was appended after the last row was read: together they have everything that any row held. */
  isCovered: boolean;
  /** Resolves when the base can be ended, or without anything when it is abandoned. */
  readonly end: PromiseWithResolvers<BaseEnd | undefined>;
}

export class TreeFiles {
  readonly #directory: string;
  readonly #path: string;
  readonly #pace: TreeFilesPace;
  #ahead: BaseTrees | undefined;
  #source: TreeSource | undefined;
  #trees: StateTrees | undefined;
  /** Undefined if a start would find nothing that it could use. */
  #readable: Readable | undefined;
  /** The cut that a base and logs lead to, if there is a base. */
  #cutId = '';
  #lineage: Buffer = randomBytes(LINEAGE_BYTES);
  #generation = 0;
  /** As long as there is one, the trees note what commits change. */
  #log: TreeLog | undefined;
  #building: Building | undefined;
  /** Whether a base is due or being written. */
  #isBuilding = false;
  /** Whether no further work begins. */
  #isOver = false;
  /** Work in the background; rejects only for a fault of ours. */
  #work: Promise<unknown> = Promise.resolve();

  constructor(directory: string, pace: TreeFilesPace = PACE) {
    this.#directory = directory;
    this.#path = join(directory, FILE);
    this.#pace = pace;
  }

  get #newPath(): string {
    return join(this.#directory, NEW_FILE);
  }

  /** Reads up to a cut that the database had reached, if one is known, without the database; `restore` continues from there. */
  readAhead(reachedCutId?: string): void {
    unlessRefused(() => {
      this.#ahead = this.#readBase();
      if (reachedCutId !== undefined) this.#ahead?.advance(reachedCutId);
    });
  }

  /** The buckets of the trees are not read before `restore` says where they are. */
  #readBase(): BaseTrees | undefined {
    return BaseTrees.read(this.#directory, this.#path, () => this.#source as TreeSource);
  }

  /** The trees of a head, over the buckets of a source, if the files can be read, are sound and lead to it. */
  restore(source: TreeSource, head: TreesCut): StateTrees | undefined {
    this.#source = source;
    let restored: BaseTrees | undefined;
    unlessRefused(() => {
      const ahead = this.#ahead ?? this.#readBase();
      this.#ahead = undefined;
      if (ahead?.reach(head) === true) restored = ahead;
    });
    if (restored === undefined) return undefined;
    const { base, end, olderBytes, trees } = restored;
    const generations = numbers(base.generation, end.generation);
    this.#readable = { baseBytes: base.bytes, generations, olderBytes };
    this.#cutId = head.cutId;
    this.#lineage = base.lineage;
    this.#generation = end.generation;
    this.#log = new TreeLog(this.#directory, this.#name, end);
    trees.filled();
    return trees;
  }

  get #name(): BaseName {
    return { lineage: this.#lineage, generation: this.#generation };
  }

  /** The store has opened with these trees: what changes them is noted from now on, if they are not small. */
  follow(trees: StateTrees, isRestored: boolean): void {
    this.#trees = trees;
    if (!isRestored) this.#forget();
    unlessRefused(() => this.#removeOthers());
    if (!this.#isLarge) this.#log = undefined;
    else if (this.#log === undefined) this.#begin();
    else trees.noteChanges('none');
  }

  #forget(): void {
    this.#readable = undefined;
    this.#log = undefined;
    this.#lineage = randomBytes(LINEAGE_BYTES);
  }

  get #isLarge(): boolean {
    return (this.#trees?.memoryBytes ?? 0) >= this.#pace.tableBytesMin;
  }

  /** Appends the changes of the pinned cut and of the applied ones. It must have resolved when the database is written. */
  append(head: TreesCut): Promise<void> | undefined {
    return this.#log === undefined ? undefined : this.#append(this.#log, head);
  }

  async #append(log: TreeLog, head: TreesCut): Promise<void> {
    const changes = (this.#trees as StateTrees).takeChanges();
    this.#cutId = head.cutId;
    if (this.#building?.writer.isWhole === true) this.#building.isCovered = true;
    try {
      await log.append(head, changes);
    } catch (error) {
      this.#refused(error);
    }
  }

  /** A cut and all before it are in the database: a base that lacks only its end is completed, and a due one is begun. */
  durable(head: TreesCut): void {
    if (this.#trees === undefined || this.#isOver) return;
    if (this.#building !== undefined) this.#endBase(this.#building, head);
    else if (!this.#isBuilding && this.#isDue) this.#begin();
  }

  /** Together with the current log its rows are those of the cut. */
  #endBase({ isCovered, end }: Building, cut: TreesCut): void {
    if (isCovered && this.#log !== undefined) end.resolve({ cut, log: this.#log.end });
  }

  get #isDue(): boolean {
    if (this.#log === undefined || this.#readable === undefined) return this.#isLarge;
    const { baseBytes, olderBytes } = this.#readable;
    const max = Math.max(this.#pace.logBytesMin, LOG_PART_MAX * baseBytes);
    return olderBytes + this.#log.end.bytes > max;
  }

  #begin(): void {
    this.#isBuilding = true;
    this.#do(() => this.#build());
  }

  async #build(): Promise<void> {
    const writer = await BaseWriter.open(this.#newPath);
    const trees = this.#trees as StateTrees;
    if (this.#isOver) return writer.close();
    this.#beginLog();
    const name = this.#name;
    const ending = Promise.withResolvers<BaseEnd | undefined>();
    const building: Building = { writer, name, isCovered: false, end: ending };
    this.#building = building;
    trees.noteChanges('all');
    try {
      await writer.write(trees, name, this.#pace);
      if (this.#log !== undefined) trees.noteChanges('staged');
      const end = writer.isWhole ? await ending.promise : undefined;
      if (end !== undefined) await this.#replaceBase(building, end);
    } finally {
      this.#building = undefined;
      this.#isBuilding = false;
      if (this.#log !== undefined) trees.noteChanges('none');
      await writer.close();
    }
  }

  /** Records go to a new log from now on. */
  #beginLog(): void {
    const before = this.#log;
    const end = before?.end ?? { bytes: 0, checksum: 0 };
    if (before === undefined) this.#forget();
    if (this.#readable !== undefined) {
      const { generations, olderBytes } = this.#readable;
      this.#readable = {
        ...this.#readable,
        generations: [...generations, this.#generation + 1],
        olderBytes: olderBytes + end.bytes,
      };
    }
    this.#generation++;
    this.#log = new TreeLog(this.#directory, this.#name, { bytes: 0, checksum: end.checksum });
    if (before !== undefined) this.#do(() => before.close());
  }

  async #replaceBase({ writer, name: { generation } }: Building, end: BaseEnd): Promise<void> {
    await writer.finish(this.#path, end);
    const isGivenUp = this.#log === undefined;
    if (!isGivenUp)
      this.#readable = { baseBytes: writer.bytes, generations: [generation], olderBytes: 0 };
    for (const path of this.#others()) await rm(path, REMOVED);
  }

  /** Does something in the background. */
  #do(work: () => Promise<void>): void {
    const done = work().catch((error: unknown) => this.#refused(error));
    this.#work = this.#work.then(() => done);
  }

  #refused(error: unknown): void {
    if (!isOfSystem(error)) throw error;
    this.giveUp();
  }

  /** Removes the files and writes none before the store is closed. */
  giveUp(): void {
    const log = this.#log;
    this.#isOver = true;
    this.#trees?.forgetChanges();
    this.#forget();
    this.#stopBuilding();
    if (log !== undefined) this.#do(() => log.close());
    unlessRefused(() => this.#removeOthers());
  }

  #stopBuilding(): void {
    if (this.#building === undefined) return;
    this.#building.end.resolve(undefined);
    this.#building.writer.stop();
  }

  /** The store is closed: trees are given if they are those of the head and this is durable. */
  async end(trees: StateTrees | undefined, head: TreesCut | null): Promise<void> {
    this.#isOver = true;
    if (trees !== undefined && head !== null && this.#building !== undefined)
      this.#endBase(this.#building, head);
    this.#stopBuilding();
    await this.#log?.close();
    await this.#work;
    trees?.forgetChanges();
    const isThere = this.#readable !== undefined && this.#cutId === head?.cutId;
    if (trees !== undefined && head !== null && !isThere) this.save(trees, head);
  }

  /** Writes the trees of a head, which must be durable or about to be, at once. Where the system refuses it the next start does without. */
  save(trees: StateTrees, cut: TreesCut): void {
    this.#forget();
    this.#generation++;
    unlessRefused(
      () => {
        const bytes = writeBaseSync(this.#newPath, this.#path, trees, { ...this.#name, cut });
        this.#readable = { baseBytes: bytes, generations: [], olderBytes: 0 };
        this.#removeOthers();
      },
      () => rmSync(this.#newPath, REMOVED),
    );
  }

  #removeOthers(): void {
    for (const path of this.#others()) rmSync(path, REMOVED);
  }

  /** Files that a start would not read: leftovers and replaced ones. */
  #others(): string[] {
    const generations = this.#readable?.generations ?? [];
    const isOther = (name: string): boolean => {
      if (name === FILE) return this.#readable === undefined;
      const generation = generationOf(name);
      if (generation === undefined) return name === NEW_FILE;
      return !generations.includes(generation);
    };
    return readdirSync(this.#directory)
      .filter(isOther)
      .map((name) => join(this.#directory, name));
  }
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, place) => from + place);
}

/** Continues without what the system refuses. */
function unlessRefused(act: () => void, otherwise: () => void = () => {}): void {
  try {
    act();
  } catch (error) {
    if (!isOfSystem(error)) throw error;
    otherwise();
  }
}
