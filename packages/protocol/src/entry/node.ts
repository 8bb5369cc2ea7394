/**
 * The entry for Node: reads the kernel from the file system. The only file of the package that may
 * import from `node:`.
 */
import * as crypto from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { LoadOptions } from '../kernel/load.ts';
import { loadKernel } from '../kernel/load.ts';
import { type HmacSha512, installHmac } from '../keys/hmac-sha512.ts';
import { installStretch } from '../keys/stretch-words.ts';
import {
  type AsyncPasswordHash,
  installPasswordHash,
  type PasswordHash,
} from '../wallet-file/installed-hash.ts';
import { kernelUrl } from './kernel-url.ts';

export * from '../index.ts';

export type InitOptions = LoadOptions;

/**
 * Loads the kernel once. Later calls wait for the first, and are refused if they ask for other options; after a
 * failure it can be tried again.
 */
export function init(options?: InitOptions): Promise<void> {
  if (typeof crypto.argon2 === 'function')
    installPasswordHash({ meanwhile: hashInThread, here: hashByEngine });
  installStretch((...given) => crypto.pbkdf2Sync(...given, 'sha512'));
  installHmac(hmacByEngine);
  const from = (simd: boolean) => () => readFile(kernelUrl(simd));
  return loadKernel({ simd: from(true), scalar: from(false) }, { ...options });
}

/** Arguments of the engine's Argon2id, which Node has since 24.7; before, the portable one is used. */
function engineOptions([message, nonce, cost]: Parameters<PasswordHash>): crypto.Argon2Parameters {
  const { memoryKib: memory, passes, lanes: parallelism } = cost;
  return { message, nonce, memory, passes, parallelism, tagLength: 32 };
}

const hashByEngine: PasswordHash = (...given) =>
  crypto.argon2Sync('argon2id', engineOptions(given));

/** A `Buffer` would share its bytes with what is sliced off it. */
const hmacByEngine: HmacSha512 = (key, data) => {
  const { buffer, byteLength, byteOffset } = crypto.createHmac('sha512', key).update(data).digest();
  return new Uint8Array(buffer, byteOffset, byteLength);
};

/** In the threads of the engine. */
const hashInThread: AsyncPasswordHash = (...given) =>
  new Promise((resolve, reject) => {
    crypto.argon2('argon2id', engineOptions(given), (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
