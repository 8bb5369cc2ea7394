/**
 * Seals or opens a wallet file in the thread that calls it.
 */
import { NATIVE_PASSWORD_HASH } from 'svc-base/node';
import { type ErrorCode, openWalletFile, SvcError, sealWalletFile } from 'svc-wasm';
import { openWith, sealWith } from 'svc-wasm/protocol';

export type SealTask =
  | {
      readonly type: 'seal';
      readonly contents: string;
      readonly password: string;
      readonly cost: string | undefined;
    }
  | { readonly type: 'open'; readonly file: Uint8Array; readonly password: string };

export type SealVerdict =
  | { readonly contents: string }
  | { readonly file: Uint8Array }
  | { readonly code: ErrorCode; readonly message: string };

function open(file: Uint8Array, password: string): string {
  return NATIVE_PASSWORD_HASH === undefined
    ? openWalletFile(file, password)
    : openWith(NATIVE_PASSWORD_HASH, file, password);
}

function seal(contents: string, password: string, cost: string | undefined): Uint8Array {
  return NATIVE_PASSWORD_HASH === undefined
    ? sealWalletFile(contents, password, cost)
    : sealWith(NATIVE_PASSWORD_HASH, contents, password, cost);
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
