/**
 * Which program of this machine makes a dataset: a lock file beside the dataset's, with the number of the process, when it
 * started, and how far it is. Others wait for it. The lock saves work and is not needed for correctness: every maker writes a file of its
 * own and moves it into place whole, so two makers at a time are wasteful and harmless, and where no lock can be had a
 * program makes its dataset without one.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isAlive, ownStart, startOf } from 'svc-base/node';

/** The program that makes the dataset now. */
export interface DatasetHolder {
  readonly pid: number;
  /** From 0 to 100. */
  readonly percent: number;
}

export type LockAttempt =
  | { readonly type: 'held'; readonly lock: DatasetLock }
  | { readonly type: 'busy'; readonly holder: DatasetHolder }
  /** No file can be made there. */
  | { readonly type: 'none' };

const MARK = 'svc dataset lock 1';
const TOKEN_BYTES = 16;
const PERCENT_CHARACTERS = 3;
/** Pid, start and token identify one maker; the percentage has a fixed offset, so that it can be written alone. */
const CONTENT = new RegExp(`^${MARK}\n([0-9]{1,10}) ([^ \n]{1,64}) ([0-9a-f]{32})\n([ 0-9]{3})\n$`);

export class DatasetLock {
  readonly #path: string;
  readonly #token: string;
  readonly #file: FileHandle;
  readonly #percentAt: number;
  #percent = 0;

  private constructor(path: string, token: string, file: FileHandle, percentAt: number) {
    this.#path = path;
    this.#token = token;
    this.#file = file;
    this.#percentAt = percentAt;
  }

  /** Tries once. A lock of an ended program, such as a killed one, is taken over. */
  static async acquire(dataset: string): Promise<LockAttempt> {
    const path = `${dataset}.lock`;
    const token = randomBytes(TOKEN_BYTES).toString('hex');
    const own = `${dataset}.${process.pid}.${token.slice(0, 8)}.lock`;
    let file: FileHandle | undefined;
    try {
      await mkdir(dirname(dataset), { recursive: true, mode: 0o700 });
      file = await open(own, 'wx', 0o600);
      const head = `${MARK}\n${process.pid} ${ownStart()} ${token}\n`;
      await file.write(`${head}${percentText(0)}\n`);
      const holder = await linkOrHolder(own, path);
      if (holder === undefined) {
        const lock = new DatasetLock(path, token, file, head.length);
        file = undefined;
        return { type: 'held', lock };
      }
      return { type: 'busy', holder };
    } catch {
      return { type: 'none' };
    } finally {
      await file?.close();
      await rm(own, { force: true }).catch(() => {});
    }
  }

  /** Publishes the progress. A full disk must not stop the making. */
  async tell(fraction: number): Promise<void> {
    const percent = Math.trunc(100 * Math.min(1, fraction));
    if (percent === this.#percent) return;
    this.#percent = percent;
    await this.#file.write(percentText(percent), this.#percentAt).catch(() => {});
  }

  async release(): Promise<void> {
    await this.#file.close().catch(() => {});
    if ((await contentOf(this.#path))?.token === this.#token)
      await rm(this.#path, { force: true }).catch(() => {});
  }
}

/** Undefined if the lock is ours now. */
async function linkOrHolder(own: string, path: string): Promise<DatasetHolder | undefined> {
  if (await linked(own, path)) return undefined;
  const before = await contentOf(path);
  if (before !== undefined && isHeld(before)) return before;
  // Renamed first: of several programs that see a lock without a holder one renames it, and the others find it gone.
  const stale = `${own}.stale`;
  try {
    await rename(path, stale);
    const moved = await contentOf(stale);
    // Another process had taken it over in between.
    if (moved !== undefined && isHeld(moved)) await linked(stale, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  } finally {
    await rm(stale, { force: true });
  }
  if (await linked(own, path)) return undefined;
  return (await contentOf(path)) ?? { pid: 0, percent: 0 };
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

interface Content extends DatasetHolder {
  readonly start: string;
  readonly token: string;
}

/** Undefined if there is no lock, or nothing that this program wrote. */
async function contentOf(path: string): Promise<Content | undefined> {
  const text = await readFile(path, 'latin1').catch(() => '');
  const [, pid, start, token, percent] = CONTENT.exec(text) ?? [];
  if (start === undefined || token === undefined) return undefined;
  return { pid: Number(pid), start, token, percent: Number(percent) };
}

/** A number of a process is used again some time: the one that has it now must have started when the holder did. */
function isHeld({ pid, start }: Content): boolean {
  if (!isAlive(pid)) return false;
  return (startOf(pid) ?? start) === start;
}

function percentText(percent: number): string {
  return String(percent).padStart(PERCENT_CHARACTERS);
}
