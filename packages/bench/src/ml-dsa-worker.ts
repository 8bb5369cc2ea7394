/**
 * Verifies for as many milliseconds as a message asks for, then answers how many it managed.
 */
import { parentPort } from 'node:worker_threads';
import { init } from 'svc-wasm';
import { mlDsa65 } from 'svc-wasm/kernel';

export interface WindowResult {
  readonly count: number;
  readonly processorSeconds: number;
}

await init();
const message = new Uint8Array(100);
const { publicKey, secretKey } = mlDsa65.keygen(new Uint8Array(32));
const signature = mlDsa65.sign(secretKey, message);

parentPort?.on('message', (milliseconds: number) => {
  const before = process.threadCpuUsage();
  const end = performance.now() + milliseconds;
  let count = 0;
  for (; performance.now() < end; count++) {
    if (!mlDsa65.verify(publicKey, message, signature))
      throw new Error('a valid signature was refused');
  }
  const { user, system } = process.threadCpuUsage(before);
  parentPort?.postMessage({
    count,
    processorSeconds: (user + system) / 1e6,
  } satisfies WindowResult);
});
