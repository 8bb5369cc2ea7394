/**
 * A process that commits cuts of the ladder as fast as it can, until it is killed. It says where it starts and
 * which cuts are durable. With a second argument it commits groups of so many cuts. With `pruned` as a third it prunes,
 * and says when a compaction begins and ends; with `logged` it logs what changes its trees, and says how it got them.
 */
import { init } from 'svc-wasm';
import { LevelStore } from '../../src/key-value/level-store.ts';
import { startLadder, stepLadder } from './ladder-chain.ts';
import { openLadder, openLoggedLadder, openPrunedLadder, stepDeferred } from './ladder-store.ts';

await init();
const prunes = process.argv[4] === 'pruned';
if (prunes) tellCompactions();
process.stdout.write('opening\n');
const isLogged = process.argv[4] === 'logged';
const open = prunes ? openPrunedLadder : isLogged ? openLoggedLadder : openLadder;
const store = await open(process.argv[2] as string);
process.stdout.write(store.areTreesRestored ? 'trees restored\n' : 'trees built\n');
if (store.head === null) await startLadder(store);
process.stdout.write(`opened ${store.head?.height} ${store.head?.stateRoot}\n`);
const groupOf = Number(process.argv[3] ?? 1);
for (;;) {
  for (let place = 1; place < groupOf; place++) await stepDeferred(store);
  await endGroup();
  process.stdout.write(`committed ${store.head?.height}\n`);
}

/** Ends a group with a cut that does not wait, or because it is the last. */
async function endGroup(): Promise<void> {
  if (groupOf === 1 || (store.head?.height ?? 0) % 2 === 0) await stepLadder(store);
  else {
    await stepDeferred(store);
    await store.flush();
  }
}

function tellCompactions(): void {
  const { compact } = LevelStore.prototype;
  LevelStore.prototype.compact = async function (this: LevelStore, range) {
    process.stdout.write('compaction begins\n');
    await compact.call(this, range);
    process.stdout.write('compaction ends\n');
  };
}
