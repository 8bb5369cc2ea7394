/** A process that opens a store and holds it until it is ended. */
import { init } from 'svc-wasm';
import { openLadder } from './ladder-store.ts';

await init();
const store = await openLadder(process.argv[2] as string);
process.stdout.write('holding\n');
process.stdin.once('end', () => void store.close());
process.stdin.resume();
