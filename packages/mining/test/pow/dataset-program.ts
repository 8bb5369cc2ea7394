/**
 * A program that wants a dataset, for tests of several on one machine. `prepare` gets it as a node does and prints whether it
 * was loaded; `hold` takes the lock, says that it is at 42 of 100, and stays there until it is killed.
 */
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK as clock } from 'svc-base/system-clock';
import { datasetPath, FullPow, PowPeriods } from 'svc-mining/pow';
import { init } from 'svc-wasm';
import { DatasetLock } from '../../src/pow/dataset-lock.ts';

/** Large enough that one process has not made it before another has started. */
const sizes = { cacheBytes: 257 * 64, datasetBytes: 16_001 * 128 };

export const smallPeriods = (): PowPeriods =>
  new PowPeriods({
    chainId: new Uint8Array(48).fill(8),
    parameters: { network: 'development', interval: 576 },
    sizes,
  });

async function hold(folder: string): Promise<void> {
  const attempt = await DatasetLock.acquire(datasetPath(folder, 0));
  if (attempt.type === 'held') await attempt.lock.tell(0.42);
  process.stdout.write(attempt.type);
  setInterval(() => {}, 1_000_000);
}

async function prepare(folder: string): Promise<void> {
  await init();
  const options = { periods: smallPeriods(), folder, clock, log: SILENT_LOG, threads: 1 };
  const full = new FullPow(options);
  await full.prepare(0);
  process.stdout.write(String(full.dataset?.isLoaded));
  await full.close();
}

if (import.meta.main) {
  const [what, folder] = process.argv.slice(2) as [string, string];
  await (what === 'hold' ? hold(folder) : prepare(folder));
}
