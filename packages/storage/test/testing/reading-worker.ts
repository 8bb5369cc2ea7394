/** A thread that reads while the main thread commits: balances must always belong to the head it saw. */
import { parentPort, workerData } from 'node:worker_threads';
import { init } from 'svc-wasm';
import { ReadOnlyStore } from '../../src/reader/read-only-store.ts';

const { directory, addresses } = workerData as { directory: string; addresses: string[] };
await init();
const store = await ReadOnlyStore.open(directory);
parentPort?.postMessage('ready');
let running = true;
parentPort?.once('message', () => {
  running = false;
});
const seen: { height: number; amounts: string[]; lines: number }[] = [];
while (running) {
  const reader = store.reader();
  const balances = await reader.balances(addresses);
  const history = await reader.history(addresses[0] as string, { limit: 256 });
  seen.push({
    height: reader.head.height,
    amounts: balances.map(({ amount }) => String(amount)),
    lines: history.rows.filter(({ height }) => height > reader.head.height).length,
  });
  await reader.close();
  await new Promise((resolve) => setImmediate(resolve));
}
await store.close();
parentPort?.postMessage(seen);
