/**
 * A process that commits cuts of the ladder as fast as it can, until it is killed. It says where it starts and
 * which cuts are durable. With a second argument it commits groups of so many cuts.
 */
import { init } from 'svc-wasm';
import { startLadder, stepLadder } from './ladder-chain.ts';
import { openLadder } from './ladder-store.ts';

await init();
process.stdout.write('opening\n');
const store = await openLadder(process.argv[2] as string);
if (store.head === null) await startLadder(store);
process.stdout.write(`opened ${store.head?.height} ${store.head?.stateRoot}\n`);
const groupOf = Number(process.argv[3] ?? 1);
for (;;) {
  for (let place = 1; place < groupOf; place++) await stepLadder(store, { mayWait: true });
  const { height } = await stepLadder(store);
  process.stdout.write(`committed ${height}\n`);
}
