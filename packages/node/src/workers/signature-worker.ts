/**
 * The program of a signature worker. A refusal is answered; a fault of the kernel ends the thread, and the pool
 * of workers gives its jobs to another thread.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { init } from 'svc-wasm';
import { mlDsa65 } from 'svc-wasm/kernel';
import { SignatureChecker } from './signature-checker.ts';
import {
  type JobKind,
  PARTS_PER_JOB,
  type RefusedJob,
  unpackParts,
  type WorkerReply,
  type WorkerRequest,
  type WorkerSettings,
} from './thread-messages.ts';

/** After about this many checks the engine has compiled the kernel's loops for speed. */
const WARM_UP_CHECKS = 32;

await init();
const { manifestJson } = workerData as WorkerSettings;
const checker = new SignatureChecker(manifestJson);

function checkBatch(type: JobKind, buffer: ArrayBuffer): RefusedJob[] {
  const parts = unpackParts(buffer);
  const size = PARTS_PER_JOB[type];
  const refused: RefusedJob[] = [];
  for (let index = 0; index * size < parts.length; index++) {
    const refusal = checker.check(type, parts.slice(index * size, (index + 1) * size));
    if (refusal !== null) refused.push({ index, ...refusal });
  }
  return refused;
}

/** Checks a few signatures, so that the first ones from outside do not wait for compilation. */
function warmUp(): void {
  const message = new Uint8Array(48);
  const { publicKey, secretKey } = mlDsa65.keygen(new Uint8Array(32));
  const signature = mlDsa65.sign(secretKey, message);
  for (let count = 0; count < WARM_UP_CHECKS; count++) {
    if (!mlDsa65.verify(publicKey, message, signature))
      throw new Error('the kernel refuses its own signature');
  }
}

function reply(message: WorkerReply, transfer: ArrayBuffer[]): void {
  parentPort?.postMessage(message, transfer);
}

parentPort?.on('message', (request: WorkerRequest) => {
  if (request.type === 'set') {
    checker.learnSet(request.encoded);
    return;
  }
  const { type, parts } = request;
  reply({ type: 'done', refused: checkBatch(type, parts), parts }, [parts]);
});
warmUp();
reply({ type: 'ready' }, []);
