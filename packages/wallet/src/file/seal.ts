/**
 * Seals and opens wallet files off the main thread.
 */
import { Worker } from 'node:worker_threads';
import { type ErrorCode, SvcError } from 'svc-wasm';

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

/** `cost` is what `sealWalletFile` takes as options; the default unless given. */
export async function sealFile(
  contents: string,
  password: string,
  cost?: string,
): Promise<Uint8Array> {
  const verdict = await run({ type: 'seal', contents, password, cost });
  if ('file' in verdict) return verdict.file;
  throw refusalOf(verdict);
}

export async function openFile(file: Uint8Array, password: string): Promise<string> {
  const verdict = await run({ type: 'open', file, password });
  if ('contents' in verdict) return verdict.contents;
  throw refusalOf(verdict);
}

function refusalOf(verdict: SealVerdict): Error {
  if ('code' in verdict) return new SvcError(verdict.code, verdict.message);
  return new Error('the sealing thread answered something else');
}

function run(task: SealTask): Promise<SealVerdict> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./seal-worker.ts', import.meta.url), { workerData: task });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the sealing thread ended with ${code}`)));
  });
}
