/**
 * Where sockets of the key lock listen. A place lists the names of all sockets of one key in it. In folders a socket gets its
 * name once it listens: before that it would look as if its holder were gone.
 */
import { openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface LockPlace {
  /** The names of current listeners, and of ended ones that left theirs. */
  names(): string[];
  address(name: string): string;
  /** Where to listen before the name is published. */
  addressBefore(name: string): string;
  publish(name: string): void;
  remove(name: string): void;
}

const NAME = /^[0-9a-f]{16}$/;
const IS_LINUX = process.platform === 'linux';
/** The longest path that every system takes for a socket. */
const PATH_BYTES_MAX = 100;
const BEFORE = '.new';
/** Every socket of this network namespace; the name of an abstract one begins with `@`. */
const SOCKETS_FILE = '/proc/net/unix';

/** A folder that only the user of the key may enter. */
export function folderPlace(folder: string, prefix: string): LockPlace {
  const start = `${prefix}-`;
  const pathOf = (name: string) => join(folder, start + name);
  const isShort = Buffer.byteLength(pathOf('0'.repeat(16)) + BEFORE) <= PATH_BYTES_MAX;
  if (!isShort && !IS_LINUX)
    throw new Error(`the path of ${folder} is too long for the lock of the consensus key`);
  const base = isShort ? folder : `/proc/self/fd/${openSync(folder, 'r')}`;
  const address = (name: string) => join(base, start + name);
  return {
    names: () => namesBehind(readdirSync(folder), start),
    address,
    addressBefore: (name) => address(name) + BEFORE,
    publish: (name) => renameSync(pathOf(name) + BEFORE, pathOf(name)),
    remove: (name) => rmSync(pathOf(name), { force: true }),
  };
}

/** A place of all users: names of sockets on Linux, the folder for temporary files elsewhere. */
export function machinePlace(prefix: string): LockPlace {
  if (!IS_LINUX) return { ...folderPlace(tmpdir(), prefix), remove: () => {} };
  const start = `${prefix}-`;
  const address = (name: string) => `\0${start}${name}`;
  return {
    names: () => {
      const paths = readFileSync(SOCKETS_FILE, 'latin1').matchAll(/ @(\S+)$/gm);
      return [
        ...new Set(
          namesBehind(
            Array.from(paths, ([, path = '']) => path),
            start,
          ),
        ),
      ];
    },
    address,
    addressBefore: address,
    publish: () => {},
    remove: () => {},
  };
}

/** Windows has neither; no other process can listen on an existing pipe. */
export function pipePlace(prefix: string): LockPlace {
  const address = () => `\\\\.\\pipe\\${prefix}`;
  return { names: () => [], address, addressBefore: address, publish: () => {}, remove: () => {} };
}

function namesBehind(names: readonly string[], start: string): string[] {
  return names
    .filter((name) => name.startsWith(start))
    .map((name) => name.slice(start.length))
    .filter((name) => NAME.test(name));
}
