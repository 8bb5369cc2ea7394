/**
 * The thread in which a wallet file is sealed or opened: Argon2id takes seconds, and the daemon answers
 * meanwhile. It does one task and ends.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openWalletFile, SvcError, sealWalletFile } from 'svc-wasm';
import type { SealTask, SealVerdict } from './seal.ts';

function perform(task: SealTask): SealVerdict {
  try {
    if (task.type === 'open') return { contents: openWalletFile(task.file, task.password) };
    return { file: sealWalletFile(task.contents, task.password, task.cost) };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { code, message } = error;
    return { code, message };
  }
}

parentPort?.postMessage(perform(workerData as SealTask));
