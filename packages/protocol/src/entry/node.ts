/**
 * The entry for Node: reads the kernel from the file system. The only file of the package that may
 * import from `node:`.
 */
import * as crypto from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { LoadOptions } from '../kernel/load.ts';
import { loadKernel } from '../kernel/load.ts';
import { type AsyncPasswordHash, installPasswordHash } from '../wallet-file/installed-hash.ts';
import { kernelUrl } from './kernel-url.ts';

export * from '../index.ts';

export type InitOptions = LoadOptions;

/**
 * Loads the kernel once. Later calls wait for the first, and are refused if they ask for other options; after a
 * failure it can be tried again.
 */
export function init(options?: InitOptions): Promise<void> {
  if (typeof crypto.argon2 === 'function') installPasswordHash(hashInThread);
  const from = (simd: boolean) => () => readFile(kernelUrl(simd));
  return loadKernel({ simd: from(true), scalar: from(false) }, { ...options });
}

/** In the threads of the engine, which has Argon2id since Node 24.7; before, the hash runs in turns. */
const hashInThread: AsyncPasswordHash = (message, nonce, cost) => {
  const { memoryKib: memory, passes, lanes: parallelism } = cost;
  const options = { message, nonce, memory, passes, parallelism, tagLength: 32 };
  return new Promise((resolve, reject) => {
    crypto.argon2('argon2id', options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
};
