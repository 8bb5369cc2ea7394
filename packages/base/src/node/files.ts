/**
 * Small files that survive a crash: created or replaced as a whole, readable by their owner alone, and on the disk
 * with their names when the call returns. A failed write is thrown and never repeated here. The calls that end in
 * `Sync` block, for programs and threads that have nothing else to do.
 */
import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY } = constants;
const OWNER_ONLY = 0o600;
const OWNER_ONLY_DIRECTORY = 0o700;
const OTHERS = 0o077;
/** Windows has no directory handles that can be synced; its file system orders renames by itself. */
const CAN_SYNC_DIRECTORIES = process.platform !== 'win32';

export async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
}

/** The bytes of a file; undefined if there is none. A file of more than `bytesMax` is refused. */
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

/** Replaces a file: after a crash it has the old content or the new one. One caller at a time for a path. */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.new`;
  await writeSynced(temporary, bytes, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  await rename(temporary, path);
  await syncDirectory(dirname(path));
}

/** As `replaceFile`, blocking. */
export function replaceFileSync(path: string, contents: Uint8Array | string): void {
  const temporary = `${path}.new`;
  const file = openSync(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, OWNER_ONLY);
  try {
    writeFileSync(file, contents);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  syncDirectorySync(dirname(path));
}

/** A created, renamed or removed file is so after a crash only once its directory was synced. */
export async function syncDirectory(path: string): Promise<void> {
  if (!CAN_SYNC_DIRECTORIES) return;
  const directory = await open(path, O_RDONLY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** As `syncDirectory`, blocking. */
export function syncDirectorySync(path: string): void {
  if (!CAN_SYNC_DIRECTORIES) return;
  const directory = openSync(path, O_RDONLY);
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** Brings everything in a folder to the disk, with its names; it must not change meanwhile. */
export function syncTreeSync(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) syncTreeSync(inside);
    else if (entry.isFile()) syncFileSync(inside);
  }
  syncDirectorySync(path);
}

/** Windows syncs only what was opened for writing. */
function syncFileSync(path: string): void {
  const file = openSync(path, O_RDWR | O_NOFOLLOW);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
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
