/**
 * A store of trees alone, with the files beside a database that is a map: cuts are committed as `LedgerStore` commits them, and the
 * process can be killed between any two of its steps. The next process begins with what it left.
 */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { HEAD_BYTES } from '../../src/tree-files/base-file.ts';
import type { TreesCut } from '../../src/tree-files/file-bytes.ts';
import { TreeFiles, type TreeFilesPace } from '../../src/tree-files/tree-files.ts';
import { generationOf } from '../../src/tree-files/tree-log.ts';
import type { StateTrees } from '../../src/trees/state-trees.ts';
import { type LedgerRecords, TreeLedger } from './tree-ledger.ts';

/** What a cut makes and spends. */
export interface CutContents {
  readonly made: number;
  readonly spent: readonly number[];
}

/** Where a process is killed that makes cuts durable: before a record is written, in the middle of it, and so on. */
export const KILLS = ['appending', 'torn', 'appended', 'written', 'committed'] as const;
export type Kill = (typeof KILLS)[number];

export interface CommitKind {
  readonly mayWait?: boolean;
  readonly kill?: Kill | undefined;
}

/** What a start has found. */
export interface Start {
  readonly isRestored: boolean;
  readonly hadBase: boolean;
}

/** The database, as a process that is killed leaves it. */
interface Durable {
  readonly records: LedgerRecords;
  readonly head: TreesCut;
}

const GENERATION_AT = 24;
const SHAPE_AT = GENERATION_AT + 4;

export class KilledTrees {
  readonly #root: string;
  readonly #pace: TreeFilesPace;
  #directory: string;
  #processes = 0;
  #cuts = 0;
  #ledger = new TreeLedger();
  #files: TreeFiles;
  #durable: Durable;
  #hasWaiting = false;
  /** The last cut that was reported durable to a process. */
  #reachedCutId: string | undefined;
  /** The last cut of which a record was appended. */
  #appended: TreesCut = { cutId: '', stateRoot: '' };

  constructor(root: string, pace: TreeFilesPace) {
    this.#root = root;
    this.#pace = pace;
    this.#directory = this.#newDirectory();
    this.#files = new TreeFiles(this.#directory, pace);
    this.#durable = { records: this.#ledger.records, head: this.#nextHead() };
    this.#files.follow(this.#ledger.trees, false);
  }

  get trees(): StateTrees {
    return this.#ledger.trees;
  }

  /** Trees that are built from what the database has, which must have everything. */
  get builtTrees(): StateTrees {
    return this.#ledger.builtTrees();
  }

  get isWritingBase(): boolean {
    return existsSync(join(this.#directory, 'trees.new'));
  }

  /** Bytes of rows that a base lacks which is being written. */
  get bytesMissing(): number {
    return bytesMissing(readFileSync(join(this.#directory, 'trees.new')), this.trees);
  }

  /** Generation of the base; undefined if there is none. */
  get generation(): number | undefined {
    const base = join(this.#directory, 'trees');
    return existsSync(base) ? readFileSync(base).readUInt32LE(GENERATION_AT) : undefined;
  }

  #newDirectory(): string {
    const directory = join(this.#root, `${++this.#processes}`);
    mkdirSync(directory);
    return directory;
  }

  #nextHead(): TreesCut {
    const idOf = (what: string) => createHash('sha384').update(`${what} ${this.#cuts}`);
    this.#cuts++;
    return { cutId: idOf('cut').digest('hex'), stateRoot: idOf('root').digest('hex') };
  }

  /** A proposal that is not decided; it stays until something else needs the trees. */
  propose({ made, spent }: CutContents): void {
    this.trees.stage(this.#ledger.changes(made, spent));
  }

  /** A cut that is executed with the trees. */
  async commit(
    { made, spent }: CutContents,
    { mayWait = false, kill }: CommitKind = {},
  ): Promise<Start | undefined> {
    const { trees } = this;
    trees.pin(trees.stage(this.#ledger.changes(made, spent)));
    this.#ledger.accept(made, spent);
    const head = this.#nextHead();
    const start = await this.#write(head, kill);
    if (start !== undefined) return start;
    trees.commit();
    this.#hasWaiting = true;
    return mayWait ? undefined : this.#becomeDurable(head, kill);
  }

  /** A cut that waits, as in a node that catches up. */
  defer({ made, spent }: CutContents): void {
    const leaves = this.#ledger.changes(made, spent);
    this.#ledger.accept(made, spent);
    this.trees.accept(this.trees.defer(leaves, () => {}));
    this.#hasWaiting = true;
  }

  /** Makes everything durable that waits. */
  async flush(kill?: Kill): Promise<Start | undefined> {
    if (!this.#hasWaiting) return undefined;
    if (!this.trees.hasUnwritten) return this.#becomeDurable(this.#appended, kill);
    const head = this.#nextHead();
    const start = await this.#write(head, kill);
    return start ?? this.#becomeDurable(head, kill);
  }

  async #write(head: TreesCut, kill: Kill | undefined): Promise<Start | undefined> {
    this.trees.writes();
    const before = this.#newestLog(this.#directory);
    const appending = this.#files.append(head);
    if (kill === 'appending') return this.#killed();
    await appending;
    this.#appended = head;
    if (kill === 'torn') return this.#killed((copy) => this.#tear(copy, before));
    if (kill === 'appended') return this.#killed();
    this.#ledger.write();
    return undefined;
  }

  async #becomeDurable(head: TreesCut, kill: Kill | undefined): Promise<Start | undefined> {
    if (kill !== undefined && kill !== 'written' && kill !== 'committed') return this.#killed();
    this.#durable = { records: this.#ledger.records, head };
    this.#hasWaiting = false;
    if (kill === 'written') return this.#killed();
    this.#reachedCutId = head.cutId;
    this.#files.durable(head);
    return kill === undefined ? undefined : this.#killed();
  }

  /** The store is closed and opened again. */
  async reopen(): Promise<Start> {
    await this.flush();
    await this.#files.end(this.trees, this.#durable.head);
    return this.#start();
  }

  /** What is here of the files now is what the next process finds; a database has what was durable. */
  async #killed(change: (directory: string) => void = () => {}): Promise<Start> {
    const [directory, files] = [this.#directory, this.#files];
    const copy = this.#newDirectory();
    for (const name of readdirSync(directory)) copyIfThere(directory, copy, name);
    change(copy);
    await files.end(undefined, null);
    rmSync(directory, { recursive: true });
    this.#directory = copy;
    return this.#start();
  }

  /** Leaves a part of what a log has got since it had a size. */
  #tear(directory: string, before: { readonly name: string; readonly bytes: number }): void {
    const { name, bytes } = this.#newestLog(directory);
    const from = name === before.name ? before.bytes : 0;
    if (bytes > from)
      truncateSync(join(directory, name), from + ((this.#cuts * 7919) % (bytes - from)));
  }

  #newestLog(directory: string): { readonly name: string; readonly bytes: number } {
    const logs = readdirSync(directory).filter((name) => generationOf(name) !== undefined);
    const name = logs.reduce(
      (newest, log) => ((generationOf(log) ?? 0) > (generationOf(newest) ?? -1) ? log : newest),
      '',
    );
    return { name, bytes: name === '' ? 0 : statSync(join(directory, name)).size };
  }

  #start(): Start {
    const { records, head } = this.#durable;
    const hadBase = this.generation !== undefined;
    this.#ledger = new TreeLedger(records);
    this.#files = new TreeFiles(this.#directory, this.#pace);
    this.#files.readAhead(this.#reachedCutId);
    const restored = this.#files.restore({ read: this.#ledger.read }, head);
    this.#ledger.trees = restored ?? this.#ledger.builtTrees();
    this.#files.follow(this.#ledger.trees, restored !== undefined);
    this.#hasWaiting = false;
    this.#reachedCutId = head.cutId;
    return { isRestored: restored !== undefined, hadBase };
  }
}

/** How many bytes of rows a base lacks that is being written. */
export function bytesMissing(bytes: Buffer, trees: StateTrees): number {
  if (bytes.length < HEAD_BYTES) return Number.POSITIVE_INFINITY;
  const shape = new Uint32Array(Uint8Array.from(bytes.subarray(SHAPE_AT, HEAD_BYTES)).buffer);
  const rows = trees.arrays(shape).reduce((sum, { byteLength }) => sum + byteLength, 0);
  return HEAD_BYTES + rows - bytes.length;
}

/** A thread may be renaming or removing it. */
function copyIfThere(from: string, to: string, name: string): void {
  try {
    copyFileSync(join(from, name), join(to, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
