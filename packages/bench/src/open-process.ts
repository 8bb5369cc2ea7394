/**
 * A fresh process that opens a store, as a node does that starts, and prints how long that took. Arguments: the directory of
 * the store, and the number of outputs of the fixture.
 */
import { readTablesUnmapped } from 'svc-storage';
import { init } from 'svc-wasm';
import { StoreFixture } from './store-fixture.ts';

export interface OpenTimes {
  readonly millis: number;
  readonly areTreesRestored: boolean;
}

const [directory = '', outputs] = process.argv.slice(2);
readTablesUnmapped(); // As a node does.
await init();
const start = performance.now();
const store = await new StoreFixture(directory, Number(outputs)).open();
const millis = performance.now() - start;
const { areTreesRestored } = store;
await store.close();
process.stdout.write(JSON.stringify({ millis, areTreesRestored } satisfies OpenTimes));
