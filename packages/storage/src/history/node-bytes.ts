/**
 * The bytes of history nodes in a file or in memory.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { StoreDamagedError } from '../errors.ts';
import type { NodeBytes } from './history-nodes.ts';

const FILE = 'history';

/** Opens the file below the directory of a store; a new one if there is none. */
export function openNodeFile(directory: string): NodeBytes {
  const path = join(directory, FILE);
  const file = openSync(path, 'a+', 0o600);
  let length = fstatSync(file).size;
  return {
    get length() {
      return length;
    },
    read(at, bytes) {
      const node = new Uint8Array(bytes);
      if (readSync(file, node, 0, bytes, at) !== bytes)
        throw new StoreDamagedError(`${path} is shorter than it was; start again`);
      return node;
    },
    append(bytes) {
      for (let written = 0; written < bytes.length; )
        written += writeSync(file, bytes, written, bytes.length - written);
      length += bytes.length;
    },
    truncate(to) {
      if (to === length) return;
      ftruncateSync(file, to);
      length = to;
    },
    close: () => closeSync(file),
  };
}

const FIRST_BYTES = 4_096;

export function memoryNodes(): NodeBytes {
  let memory = new Uint8Array(FIRST_BYTES);
  let length = 0;
  return {
    get length() {
      return length;
    },
    read: (at, bytes) => memory.slice(at, at + bytes),
    append(bytes) {
      if (length + bytes.length > memory.length) {
        const grown = new Uint8Array(2 * memory.length);
        grown.set(memory);
        memory = grown;
      }
      memory.set(bytes, length);
      length += bytes.length;
    },
    truncate(to) {
      length = to;
    },
    close() {},
  };
}
