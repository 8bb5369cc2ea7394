/**
 * A process that commits groups of cuts that are large enough for the thread that writes, and kills itself so many
 * microseconds after it has handed the second of them to the thread: no answer can have come by then, and the thread may be
 * anywhere. It says where it starts, where each group ends, and which are durable.
 */
import { writeSync } from 'node:fs';
import { init } from 'svc-wasm';
import { WriterThread } from '../../src/key-value/writer-thread.ts';
import { startLadder, stepLadder } from './ladder-chain.ts';
import { keepLargeGroup, openLadder } from './ladder-store.ts';

await init();
const [, , directory, micros] = process.argv;
const store = await openLadder(String(directory));
if (store.head === null) await startLadder(store);
say(`opened ${store.head?.height} ${store.head?.stateRoot}`);
let handed = 0;
const { write } = WriterThread.prototype;
WriterThread.prototype.write = function (this: WriterThread, ...batch) {
  const written = write.apply(this, batch);
  if (++handed < 2) return written;
  say('handed');
  const until = process.hrtime.bigint() + 1_000n * BigInt(String(micros));
  while (process.hrtime.bigint() < until);
  process.kill(process.pid, 'SIGKILL');
  return written;
};
for (;;) {
  await keepLargeGroup(store);
  say(`group ${(store.head?.height ?? 0) + 1}`);
  const { height } = await stepLadder(store);
  say(`committed ${height}`);
}

/** At once, also just before the end. */
function say(words: string): void {
  writeSync(1, `${words}\n`);
}
