import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { payeeOf, stepLadder } from './testing/ladder-chain.ts';
import { climb, openLadder } from './testing/ladder-store.ts';

await init();

test('worker threads read whole cuts while the main thread commits', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openLadder(directory);
  await climb(store, 1);
  const addresses = [1, 2, 3].map(payeeOf);
  const worker = new Worker(new URL('testing/reading-worker.ts', import.meta.url), {
    workerData: { directory, addresses },
  });
  t.after(() => worker.terminate());
  await once(worker, 'message');
  const expected = new Map<number, string[]>();
  const note = async (): Promise<void> => {
    const reader = store.reader();
    const balances = await reader.balances(addresses);
    expected.set(
      reader.head.height,
      balances.map(({ amount }) => String(amount)),
    );
    await reader.close();
  };
  await note();
  while ((store.head?.height ?? 0) < 60) {
    await stepLadder(store);
    await note();
  }
  worker.postMessage('stop');
  const [seen] = (await once(worker, 'message')) as [
    { height: number; amounts: string[]; lines: number }[],
  ];
  await store.close();
  assert.ok(seen.length > 0, 'the worker read nothing');
  for (const { height, amounts, lines } of seen) {
    assert.deepEqual(amounts, expected.get(height), `height ${height}`);
    assert.equal(lines, 0);
  }
  assert.ok(new Set(seen.map(({ height }) => height)).size > 1, 'the worker saw one cut only');
});
