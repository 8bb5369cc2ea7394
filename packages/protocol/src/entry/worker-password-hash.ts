/**
 * Hashes passwords in a worker of the browser. Where none can be had (no workers, a policy against them, a bundler
 * that leaves the file out) the hash runs in turns in the calling thread instead.
 */
import type { AsyncPasswordHash } from '../wallet-file/installed-hash.ts';
import type { PasswordReply } from './password-worker.ts';

export const hashInWorker: AsyncPasswordHash = async (password, salt, cost) => {
  const worker = startWorker();
  if (worker === undefined) return undefined;
  try {
    const reply = await replyOf(worker, { password, salt, cost });
    if (reply === undefined) return undefined;
    if ('noMemory' in reply) throw new RangeError(reply.noMemory);
    return reply.key;
  } finally {
    worker.terminate();
  }
};

/** The address is a literal inside `new Worker(new URL(…))`, the form by which bundlers find the file. */
function startWorker(): Worker | undefined {
  if (typeof Worker === 'undefined') return undefined;
  try {
    return new Worker(new URL('./password-worker.ts', import.meta.url), { type: 'module' });
  } catch {
    return undefined;
  }
}

/** Undefined if the worker could not be loaded. */
function replyOf(worker: Worker, order: unknown): Promise<PasswordReply | undefined> {
  return new Promise((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<PasswordReply>) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      resolve(undefined);
    };
    worker.postMessage(order);
  });
}
