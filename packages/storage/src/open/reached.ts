/**
 * The highest head that the store once had, in a file beside it. The engine silently drops the end of a log
 * that was cut short; a head below this mark shows it.
 */
import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Head } from '../codec/meta-records.ts';
import { StoreDamagedError } from '../errors.ts';
import { readPastHoles } from './failing-reads.ts';

const REACHED_FILE = 'reached';
const LINE_BYTES = 160;

interface Reached {
  readonly height: number;
  readonly cutId: string;
}

/** The cut that the mark names, if there is a mark that can be read. */
export function reachedCutId(directory: string): string | undefined {
  const path = join(directory, REACHED_FILE);
  const reached = existsSync(path) ? readMark(path) : undefined;
  return reached === 'damaged' ? undefined : reached?.cutId;
}

/** Undefined if nothing was recorded: a power loss can leave the file empty or filled with zeros. */
function readMark(path: string): Reached | 'damaged' | undefined {
  const bytes = readPastHoles(path);
  if (bytes.every((byte) => byte === 0)) return undefined;
  const [height, cutId = '', checksum] = bytes.toString('latin1').split(/[ \n]/);
  const isWhole = bytes.length === LINE_BYTES && checksum === String(crc32(`${height} ${cutId}`));
  return isWhole ? { height: Number(height), cutId } : 'damaged';
}

export class ReachedMark {
  readonly #path: string;
  readonly #file: number;

  constructor(directory: string) {
    this.#path = join(directory, REACHED_FILE);
    this.#file = openSync(this.#path, 'a+', 0o600);
    closeSync(this.#file);
    this.#file = openSync(this.#path, 'r+', 0o600);
  }

  /** Records the height of the head, in place and without a sync: it has to outlive the process only. */
  record({ height, cutId }: Pick<Head, 'height' | 'cutId'>): void {
    const text = `${height} ${cutId}`;
    const line = `${text} ${crc32(text)}`.padEnd(LINE_BYTES - 1);
    writeSync(this.#file, `${line}\n`, 0);
  }

  get #damage(): StoreDamagedError {
    return new StoreDamagedError(
      `${this.#path}, which tells how far the store had come, is damaged. Delete it to go on from where the store ` +
        'ends; a validator must first make sure that its signing state is the newest',
    );
  }

  check(head: Head | null): void {
    const reached = readMark(this.#path);
    if (reached === 'damaged') throw this.#damage;
    const height = head?.height ?? -1;
    if (reached === undefined || reached.height < height) return;
    if (reached.height === height && reached.cutId === head?.cutId) return;
    throw new StoreDamagedError(
      `the store had reached cut ${reached.height} and now ends at cut ${height}: its log was cut short or an ` +
        `older copy was put in its place. To go on from cut ${height}, delete ${this.#path}; a validator ` +
        'must first make sure that its signing state is the newest',
    );
  }

  close(): void {
    closeSync(this.#file);
  }
}
