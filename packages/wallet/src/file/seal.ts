/**
 * Seals and opens wallet files: off the main thread for a daemon that answers meanwhile, or at once for a
 * command that can do nothing else until it is done.
 */
import { Worker } from 'node:worker_threads';
import { SvcError } from 'svc-wasm';
import { perform, type SealTask, type SealVerdict } from './seal-task.ts';

/** Carries out a task, in this thread or in another. */
export type Sealing = (task: SealTask) => Promise<SealVerdict>;

export const SEAL_IN_THREAD: Sealing = (task) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./seal-worker.ts', import.meta.url), { workerData: task });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the sealing thread ended with ${code}`)));
  });

/** Seals in the calling thread: starting a thread takes longer than a cheap sealing does. */
export const SEAL_HERE: Sealing = async (task) => perform(task);

/** `cost` is what `sealWalletFile` takes as options; the default unless given. */
export async function sealFile(
  contents: string,
  password: string,
  cost?: string,
  sealing: Sealing = SEAL_IN_THREAD,
): Promise<Uint8Array> {
  const verdict = await sealing({ type: 'seal', contents, password, cost });
  if ('file' in verdict) return verdict.file;
  throw refusalOf(verdict);
}

export async function openFile(
  file: Uint8Array,
  password: string,
  sealing: Sealing = SEAL_IN_THREAD,
): Promise<string> {
  const verdict = await sealing({ type: 'open', file, password });
  if ('contents' in verdict) return verdict.contents;
  throw refusalOf(verdict);
}

function refusalOf(verdict: SealVerdict): Error {
  if ('code' in verdict) return new SvcError(verdict.code, verdict.message);
  return new Error('the sealing thread answered something else');
}
