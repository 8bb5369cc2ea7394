/**
 * Verification in two threads beside verification in one. Windows alternate, and the time that
 * counts is the processor's, so that the figure tells what the threads cost each other and not how
 * busy the machine was with others.
 */
import { Worker } from 'node:worker_threads';
import { type BenchOptions, formatTime, type Row } from './harness.ts';
import type { WindowResult } from './ml-dsa-worker.ts';

const WINDOWS = 10;
const WINDOW_MS = 300;

function startWorker(): Worker {
  return new Worker(new URL('./ml-dsa-worker.ts', import.meta.url));
}

function runWindow(worker: Worker, milliseconds: number): Promise<WindowResult> {
  return new Promise((resolve, reject) => {
    worker.once('message', (result: WindowResult) => {
      worker.off('error', reject);
      resolve(result);
    });
    worker.once('error', reject);
    worker.postMessage(milliseconds);
  });
}

/** Runs the workers at the same time, window after window; nanoseconds for a verification. */
class Tally {
  count = 0;
  seconds = 0;

  async add(workers: readonly Worker[], milliseconds: number): Promise<void> {
    for (const result of await Promise.all(
      workers.map((worker) => runWindow(worker, milliseconds)),
    )) {
      this.count += result.count;
      this.seconds += result.processorSeconds;
    }
  }

  get nanoseconds(): number {
    return (1e9 * this.seconds) / this.count;
  }
}

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  const workers = [startWorker(), startWorker()];
  const [one, two] = [new Tally(), new Tally()];
  const windows = options.smoke ? 1 : Math.ceil(WINDOWS * options.size);
  const milliseconds = options.smoke ? 20 : WINDOW_MS;
  await new Tally().add(workers, milliseconds);
  for (let i = 0; i < windows; i++) {
    await one.add(workers.slice(i % 2, (i % 2) + 1), milliseconds);
    await two.add(workers, milliseconds);
  }
  await Promise.all(workers.map((worker) => worker.terminate()));
  return [
    {
      name: 'ml-dsa-65 verify, two threads at once',
      ours: `${formatTime(two.nanoseconds / 2)} a verification (two threads, processor time)`,
      peer: `${formatTime(one.nanoseconds)} a verification (one thread, processor time)`,
      ratio: (2 * one.nanoseconds) / two.nanoseconds,
      limit: 1.9,
    },
  ];
}
