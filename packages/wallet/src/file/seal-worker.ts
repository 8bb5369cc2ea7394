/**
 * The thread in which a wallet file is sealed or opened: Argon2id takes seconds, and the daemon answers
 * meanwhile. It does one task and ends.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { perform, type SealTask } from './seal-task.ts';

parentPort?.postMessage(perform(workerData as SealTask));
