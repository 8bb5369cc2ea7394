/**
 * Keeps the write-ahead log of a state short: moves the pages that it holds to their places in the file. Nearly all are moved by
 * a thread that has a connection of its own, while this one goes on to write. A log begins anew only when all of it has
 * been moved, so the few pages that came meanwhile are moved here, between two commits. SQLite syncs the log before it
 * moves pages and the file before it forgets them, whichever connection moves them.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { type MoveAnswer, type MoveData, MoveTurn } from './move-turn.ts';
import { isInUse } from './sqlite-errors.ts';

/** Pages of 4 KiB that the log may hold before they are moved. */
export const LOG_PAGES_MAX = 4_000;
/** So many are moved at once by whoever writes; with more the thread goes again, and everything waits for a few pages only. */
const REST_PAGES_MAX = 100;
/** Few commits have more pages: so many before the log has its length it is looked at after each. */
const COMMIT_PAGES = 500;
/** How often the thread goes for one log: a disk may take pages more slowly than they come. */
const PASSES_MAX = 4;
/** Times the allowed length: of a log that grows so long, everything is moved here. */
const LENGTHS_MAX = 8;
/** How long the thread may take for what it has begun when the state is closed. */
const CLOSE_MILLIS_MAX = 60_000;

export interface LogMoverOptions {
  /** The connection that writes; it must not be within a transaction when something is asked of the mover. */
  readonly connection: DatabaseSync;
  /** What a second connection of this process opens; undefined where the file allows no second one. */
  readonly location: string | undefined;
  readonly pagesMax?: number | undefined;
  /** Called before pages are moved: the file is not what it was from then on. */
  readonly beforeMove?: (() => void) | undefined;
  /** Called when pages could not be moved by the thread: nobody can say what the file holds then. */
  onFailure(error: Error): void;
}

export class LogMover {
  readonly #options: LogMoverOptions;
  readonly #pagesMax: number;
  readonly #look: StatementSync;
  readonly #move: StatementSync;
  #thread: MovingThread | undefined;
  /** How often the thread has gone for this log. */
  #passes = 0;
  /** Commits after which nobody looks, because the log is far from its length: looking takes as long as a small commit. */
  #unseen = 0;

  constructor(options: LogMoverOptions) {
    this.#options = options;
    this.#pagesMax = options.pagesMax ?? LOG_PAGES_MAX;
    const { connection } = options;
    connection.exec('PRAGMA wal_autocheckpoint = 0');
    this.#look = connection.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#move = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  }

  /** Called after each commit. What it throws is fatal. */
  afterCommit(): void {
    if (this.#unseen > 0) {
      this.#unseen--;
      return;
    }
    if (this.#thread?.isMoving === true) {
      // Nobody has to look before the thread is done, unless the log becomes far too long.
      if (this.#waiting() >= LENGTHS_MAX * this.#pagesMax) this.#moveHere();
      return;
    }
    const waiting = this.#waiting();
    if (waiting < (this.#passes === 0 ? this.#pagesMax : 1)) {
      if (this.#passes === 0) this.#unseen = Math.floor((this.#pagesMax - waiting) / COMMIT_PAGES);
      return;
    }
    const isRest = this.#passes > 0 && waiting <= REST_PAGES_MAX;
    if (isRest || this.#passes === PASSES_MAX || !this.#order()) this.#moveHere();
    else this.#passes++;
  }

  /** Waits for what the thread has begun and ends it. */
  close(): void {
    this.#thread?.close();
  }

  /** Pages in the log that are not in their places; none while that cannot be told. */
  #waiting(): number {
    const { checkpointed, log } = unlessRead(this.#look) ?? NOTHING;
    return Number(log - checkpointed);
  }

  /** Moves everything that nobody is reading. */
  #moveHere(): void {
    this.#options.beforeMove?.();
    unlessRead(this.#move);
    this.#passes = 0;
  }

  /** Has the thread move what is there; false where there is no thread. */
  #order(): boolean {
    const { beforeMove, location, onFailure } = this.#options;
    if (location === undefined) return false;
    beforeMove?.();
    this.#thread ??= new MovingThread(location, onFailure);
    return this.#thread.order();
  }
}

/** What SQLite tells of a log: its pages, and how many of them have been moved. */
interface LogPages {
  readonly log: bigint;
  readonly checkpointed: bigint;
}

const NOTHING: LogPages = { log: 0n, checkpointed: 0n };

/** What the statement tells; undefined while the connection itself is being read from, as for a backup. */
function unlessRead(statement: StatementSync): LogPages | undefined {
  try {
    return statement.get() as unknown as LogPages;
  } catch (error) {
    if (isInUse(error)) return undefined;
    throw error;
  }
}

class MovingThread {
  readonly #turn = new MoveTurn(new SharedArrayBuffer(MoveTurn.BYTES));
  readonly #worker: Worker;
  #isMoving = false;
  #isGone = false;

  constructor(location: string, onFailure: (error: Error) => void) {
    const workerData: MoveData = { location, memory: this.#turn.memory };
    this.#worker = new Worker(new URL('./move-worker.ts', import.meta.url), { workerData });
    this.#worker.on('message', ({ failure }: MoveAnswer) => {
      this.#isMoving = false;
      if (failure !== undefined) onFailure(new Error(`the log of the state: ${failure}`));
    });
    // Whoever writes moves everything where there is no thread.
    const end = (): void => {
      this.#isGone = true;
      this.#isMoving = false;
    };
    this.#worker.on('error', end);
    this.#worker.on('exit', end);
    // A listener would keep the process going again.
    this.#worker.unref();
  }

  get isMoving(): boolean {
    return this.#isMoving;
  }

  order(): boolean {
    if (this.#isGone) return false;
    this.#isMoving = true;
    this.#turn.order();
    this.#worker.postMessage(null);
    return true;
  }

  close(): void {
    this.#turn.giveUp(this.#isGone ? 0 : CLOSE_MILLIS_MAX);
    void this.#worker.terminate();
  }
}
