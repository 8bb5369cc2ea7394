/**
 * A miner as a process of its own, beside the node whose mining listener it uses: the wish as JSON is its only
 * word.
 */
import { init } from 'svc-wasm';
import { ClusterMiner } from './miner.ts';

const { url, ...wish } = JSON.parse(process.argv[2] ?? '{}');
await init();
const miner = new ClusterMiner({ ...wish, url: () => url });
miner.start();
