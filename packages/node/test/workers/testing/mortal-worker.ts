/**
 * A signature worker that can be killed: the thread ends when a job begins with certain bytes, before
 * anything of its batch is answered.
 */
import { parentPort } from 'node:worker_threads';
import type { WorkerRequest } from '../../../src/workers/thread-messages.ts';
import { unpackParts } from '../../../src/workers/thread-messages.ts';
import { isDeadly } from './deadly.ts';

/** What came before the program could listen. */
const early: WorkerRequest[] = [];
let isStarted = false;

parentPort?.on('message', (request: WorkerRequest) => {
  if (request.type !== 'set' && unpackParts(request.parts).some(isDeadly)) process.exit(9);
  if (!isStarted) early.push(request);
});
await import('../../../src/workers/signature-worker.ts');
isStarted = true;
for (const request of early) parentPort?.emit('message', request);
