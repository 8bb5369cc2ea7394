/**
 * Trees with the rows of a base that apply the logs after it, record by record, until they are those of a head. Up to a cut
 * that the database had reached this needs nothing of the database. Nothing here is written.
 */
import { StateTrees, type TreeSource } from '../trees/state-trees.ts';
import { type Base, readBase } from './base-file.ts';
import type { LogEnd, TreesCut } from './file-bytes.ts';
import { type LogRecord, readLogs } from './tree-log.ts';

export class BaseTrees {
  readonly trees: StateTrees;
  readonly base: Base;
  readonly #records: Generator<LogRecord, void>;
  /** Read, and not applied yet. */
  #next: LogRecord | undefined;
  /** The cut that the trees belong to; undefined while they are between two cuts. */
  #cut: TreesCut | undefined;
  #end: LogEnd;
  #olderBytes = 0;

  private constructor(directory: string, trees: StateTrees, base: Base) {
    const { cut, generation, log } = base;
    this.trees = trees;
    this.base = base;
    this.#cut = log.bytes === 0 ? cut : undefined;
    this.#end = log.bytes === 0 ? { ...log, generation } : { generation, bytes: 0, checksum: 0 };
    this.#records = readLogs(directory, base);
    this.#next = this.#read();
  }

  /** Undefined if there is no sound base. The buckets' source is asked for when it is needed first. */
  static read(directory: string, path: string, source: () => TreeSource): BaseTrees | undefined {
    const trees = new StateTrees(
      (tree, name) => source().read(tree, name),
      (damage) => source().onDamage?.(damage),
    );
    const base = readBase(path, trees);
    return base === undefined ? undefined : new BaseTrees(directory, trees, base);
  }

  /** The end of the last applied record. */
  get end(): LogEnd {
    return this.#end;
  }

  /** Bytes of the logs before the one of `end`. */
  get olderBytes(): number {
    return this.#olderBytes;
  }

  /** Applies records up to that of a cut which the head cannot be below. */
  advance(reachedCutId: string): void {
    while (this.#next !== undefined && this.#cut?.cutId !== reachedCutId)
      this.#takeOver(this.#next);
  }

  /** Continues to a head; false if nothing leads there, and then the trees are of no use. */
  reach(head: TreesCut): boolean {
    const isThere = (): boolean =>
      this.#cut?.cutId === head.cutId && this.#cut.stateRoot === head.stateRoot;
    while (this.#next !== undefined && !isThere()) this.#takeOver(this.#next);
    return isThere();
  }

  /** Ends where the log of the base is not the one that made it whole. */
  #read(): LogRecord | undefined {
    const { done, value } = this.#records.next();
    return done !== true && isOfBase(this.base, value.end) ? value : undefined;
  }

  #takeOver({ changes, cut, end }: LogRecord): void {
    const { generation, log } = this.base;
    this.trees.unpack(changes);
    if (end.generation !== this.#end.generation) this.#olderBytes += this.#end.bytes;
    this.#end = end;
    const isWhole = end.generation > generation || end.bytes >= log.bytes;
    this.#cut = isWhole ? cut : undefined;
    this.#next = this.#read();
  }
}

function isOfBase({ generation, log }: Base, end: LogEnd): boolean {
  const isThere = end.generation === generation && end.bytes === log.bytes;
  return !isThere || end.checksum === log.checksum;
}
