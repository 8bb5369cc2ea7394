/** A disk of which some bytes of a file cannot be read: a read of any of them fails with the error of the system. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { TestContext } from 'node:test';

export interface UnreadableBytes {
  /** How the path of the file ends. */
  readonly ending: string;
  readonly from: number;
  readonly to: number;
}

function failure(): Error {
  return Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' });
}

/** Makes reads fail until the test ends. A read from the file's position counts as reading all of it. */
export function failReads(t: TestContext, bytes: UnreadableBytes): void {
  const isBad = (path: unknown, at?: unknown, length?: unknown) => {
    if (!String(path).endsWith(bytes.ending)) return false;
    if (typeof at !== 'number' || typeof length !== 'number') return true;
    return at < bytes.to && at + length > bytes.from;
  };
  const { openSync, readSync, readFileSync } = fs;
  const paths = new Map<number, unknown>();
  t.mock.method(fs, 'openSync', (...opening: Parameters<typeof openSync>) => {
    const file = openSync(...opening);
    paths.set(file, opening[0]);
    return file;
  });
  t.mock.method(
    fs,
    'readSync',
    (file: number, buffer: Buffer, ...place: [number, number, number]) => {
      if (isBad(paths.get(file), place[2], place[1])) throw failure();
      return readSync(file, buffer, ...place);
    },
  );
  t.mock.method(fs, 'readFileSync', (...reading: Parameters<typeof readFileSync>) => {
    if (isBad(reading[0])) throw failure();
    return readFileSync(...reading);
  });
  const { open } = fs.promises;
  t.mock.method(fs.promises, 'open', async (...opening: Parameters<typeof open>) => {
    const handle = await open(...opening);
    const read = handle.read.bind(handle) as (...place: unknown[]) => Promise<unknown>;
    const readOrFail = (...place: unknown[]) =>
      isBad(opening[0], place[3], place[2]) ? Promise.reject(failure()) : read(...place);
    return Object.assign(handle, { read: readOrFail });
  });
  syncBuiltinESMExports();
  t.after(() => endFailing(t));
}

export interface FullDisk {
  /** How the path of the file ends. */
  readonly ending: string;
  /** How many writes of each file succeed. */
  readonly writes: number;
}

/** A disk without room for a file that is written in the background. Reports whether it has refused something. */
export function failWrites(t: TestContext, { ending, writes }: FullDisk): () => boolean {
  let hasFailed = false;
  const { open } = fs.promises;
  t.mock.method(fs.promises, 'open', async (...opening: Parameters<typeof open>) => {
    const handle = await open(...opening);
    if (!String(opening[0]).endsWith(ending)) return handle;
    const writev = handle.writev.bind(handle);
    let left = writes;
    const writeOrFail = (...writing: Parameters<typeof writev>) => {
      if (left-- > 0) return writev(...writing);
      hasFailed = true;
      const error = new Error('ENOSPC: no space left on device, write');
      return Promise.reject(Object.assign(error, { code: 'ENOSPC', syscall: 'write' }));
    };
    return Object.assign(handle, { writev: writeOrFail });
  });
  syncBuiltinESMExports();
  t.after(() => endFailing(t));
  return () => hasFailed;
}

export function endFailing(t: TestContext): void {
  t.mock.restoreAll();
  syncBuiltinESMExports();
}
