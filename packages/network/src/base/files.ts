/**
 * Files of the network folder: replaced as a whole or not at all, and secrets readable by their owner alone.
 */
import { constants } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_TRUNC, O_WRONLY } = constants;
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

export async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

/** The bytes of a file; undefined if there is none. More than `bytesMax` is refused. */
export async function readBounded(path: string, bytesMax: number): Promise<Uint8Array | undefined> {
  return await read(path, bytesMax, false);
}

/** As `readBounded`, for secrets: a file that others can read is refused. */
export async function readSecret(path: string, bytesMax: number): Promise<Uint8Array | undefined> {
  return await read(path, bytesMax, true);
}

/** Creates a secret; fails if the file is there already. */
export async function createSecret(path: string, bytes: Uint8Array): Promise<void> {
  await writeSynced(path, bytes, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
  await syncDirectory(dirname(path));
}

/** Replaces a file: after a crash it has the old content or the new one. One caller at a time. */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.new`;
  await writeSynced(temporary, bytes, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  await rename(temporary, path);
  await syncDirectory(dirname(path));
}

async function read(
  path: string,
  bytesMax: number,
  isSecret: boolean,
): Promise<Uint8Array | undefined> {
  const file = await openExisting(path);
  if (file === undefined) return undefined;
  try {
    const { mode, size } = await file.stat();
    if (isSecret && process.platform !== 'win32' && (mode & OTHERS) !== 0) {
      throw new Error(`${path} can be read by other users; run chmod 600 on it`);
    }
    if (size > bytesMax) throw new Error(`${path} has ${size} bytes, at most ${bytesMax} expected`);
    return new Uint8Array(await file.readFile());
  } finally {
    await file.close();
  }
}

async function openExisting(path: string) {
  try {
    return await open(path, O_RDONLY | O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeSynced(path: string, bytes: Uint8Array, flags: number): Promise<void> {
  const file = await open(path, flags, OWNER_ONLY);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path, O_RDONLY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
