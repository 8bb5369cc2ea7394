import { init } from 'svc-wasm';
import { testNodeSeeds } from './seed-ranges.ts';

await init();
testNodeSeeds(3);
