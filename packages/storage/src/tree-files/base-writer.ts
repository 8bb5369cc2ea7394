/**
 * Writes a new base in the background, piece by piece, while cuts are applied and committed. A piece is copied, so that nothing changes
 * while it is written. The trees have to note rows that a reverted cut left in it.
 */
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeAll } from '../bodies/write-all.ts';
import type { StateTrees } from '../trees/state-trees.ts';
import { type BaseEnd, type BaseName, baseEnd, basePieces, HEAD_BYTES } from './base-file.ts';
import { Checksum, type TreesCut } from './file-bytes.ts';

const OWNER_ONLY = 0o600;
const SAVED_PIECE_BYTES = 1 << 26;
const NO_LOG = { bytes: 0, checksum: 0 };

export interface BasePace {
  /** Read in one turn. */
  readonly pieceBytes: number;
  readonly pauseMillis: number;
}

export class BaseWriter {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #sum = new Checksum();
  readonly #stopping = new AbortController();
  #bytes = 0;
  #isWhole = false;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  static async open(path: string): Promise<BaseWriter> {
    return new BaseWriter(path, await open(path, 'w', OWNER_ONLY));
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether every row was read and written: with the next record of the log the base is whole. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Resolves when every row was read and written, or after `stop`. Changes must be noted from now on. */
  async write(trees: StateTrees, name: BaseName, pace: BasePace): Promise<void> {
    const { signal } = this.#stopping;
    const pieces = basePieces(trees, name, pace.pieceBytes);
    const memory = new Uint8Array(Math.max(pace.pieceBytes, HEAD_BYTES));
    while (!signal.aborted) {
      const piece = pieces.next().value;
      if (piece === undefined) {
        this.#isWhole = true;
        return;
      }
      memory.set(piece);
      await this.#append(memory.subarray(0, piece.length));
      await sleep(pace.pauseMillis, undefined, { ref: false, signal }).catch(() => {});
    }
  }

  async #append(piece: Uint8Array): Promise<void> {
    this.#sum.add(piece);
    await writeAll(this.#handle, [piece], this.#bytes);
    this.#bytes += piece.length;
  }

  /** Ends a whole base and puts it in the place of the one before. */
  async finish(path: string, end: BaseEnd): Promise<void> {
    const bytes = baseEnd(end, this.#sum);
    await writeAll(this.#handle, [bytes], this.#bytes);
    this.#bytes += bytes.length;
    await this.#handle.close();
    await rename(this.#path, path);
  }

  /** Ends `write` after the piece that it is at. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Removes what was not finished. */
  async close(): Promise<void> {
    await this.#handle.close();
    rmSync(this.#path, { force: true });
  }
}

/** Writes a base of the current trees at once; returns its bytes. Nothing may be committed meanwhile, and staged changes are dropped. */
export function writeBaseSync(
  temporary: string,
  path: string,
  trees: StateTrees,
  { cut, ...name }: BaseName & { readonly cut: TreesCut },
): number {
  trees.discard();
  const sum = new Checksum();
  let bytes = 0;
  const file = openSync(temporary, 'w', OWNER_ONLY);
  try {
    const write = (piece: Uint8Array): void => {
      for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at, piece.length - at);
      bytes += piece.length;
    };
    for (const piece of basePieces(trees, name, SAVED_PIECE_BYTES)) {
      sum.add(piece);
      write(piece);
    }
    write(baseEnd({ cut, log: NO_LOG }, sum));
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  return bytes;
}
