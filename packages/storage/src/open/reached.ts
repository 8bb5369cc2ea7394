/**
 * The highest head that the store once had, in a file beside it. The engine silently drops the end of a log
 * that was cut short; a head below this mark shows it.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Head } from '../codec/meta-records.ts';
import { StoreDamagedError } from '../errors.ts';

const REACHED_FILE = 'reached';
const LINE_BYTES = 160;

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

  #read(): { height: number; cutId: string } | undefined {
    const [height, cutId, checksum] = readFileSync(this.#path, 'utf8').trim().split(' ');
    if (crc32(`${height} ${cutId}`) !== Number(checksum)) return undefined;
    return { height: Number(height), cutId: cutId ?? '' };
  }

  check(head: Head | null): void {
    const reached = this.#read();
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
