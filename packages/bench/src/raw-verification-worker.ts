/**
 * Verifies signatures and nothing else: what a node could admit if nothing else had to be done.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { init } from 'svc-wasm';
import { CONTEXTS, contextBytes } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import type { SignedPayment } from './admission-fixture.ts';

await init();
const payments = workerData as readonly SignedPayment[];
const context = contextBytes(CONTEXTS.spend);

parentPort?.on('message', () => {
  for (const { publicKey, message, signature } of payments) {
    if (!mlDsa65.verify(publicKey, message, signature, { context }))
      throw new Error('a valid signature was refused');
  }
  parentPort?.postMessage('done');
});
parentPort?.postMessage('done');
