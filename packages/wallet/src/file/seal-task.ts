/**
 * Seals or opens a wallet file in the thread that calls it.
 */
import { argon2Sync } from 'node:crypto';
import { openWalletFile, SvcError, sealWalletFile } from 'svc-wasm';
import { openWith, type PasswordHash, sealWith } from 'svc-wasm/protocol';
import type { SealTask, SealVerdict } from './seal.ts';

const KEY_BYTES = 32;

/** The engine's own Argon2id is several times faster than the portable one. */
const hash: PasswordHash = (message, nonce, { memoryKib: memory, passes, lanes: parallelism }) =>
  argon2Sync('argon2id', { message, nonce, memory, passes, parallelism, tagLength: KEY_BYTES });
const isNative = typeof argon2Sync === 'function';

function open(file: Uint8Array, password: string): string {
  return isNative ? openWith(hash, file, password) : openWalletFile(file, password);
}

function seal(contents: string, password: string, cost: string | undefined): Uint8Array {
  return isNative
    ? sealWith(hash, contents, password, cost)
    : sealWalletFile(contents, password, cost);
}

export function perform(task: SealTask): SealVerdict {
  try {
    if (task.type === 'open') return { contents: open(task.file, task.password) };
    return { file: seal(task.contents, task.password, task.cost) };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { code, message } = error;
    return { code, message };
  }
}
