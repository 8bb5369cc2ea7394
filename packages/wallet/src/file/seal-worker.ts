/**
 * The thread in which a wallet file is sealed or opened: Argon2id takes seconds, and the daemon answers
 * meanwhile. It does one task and ends.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { SealTask } from './seal.ts';
import { perform } from './seal-task.ts';

parentPort?.postMessage(perform(workerData as SealTask));
