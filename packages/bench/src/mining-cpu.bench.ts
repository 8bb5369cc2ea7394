/**
 * The miner's threads on one dataset beside as many programs in C with the same algorithm, and two threads beside one.
 * Every thread is the miner's own device, which is asked for batches as the miner asks. What counts is processor time,
 * all that the miner's process took: waits for the memory are in it, waits for others on a busy machine are not.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CpuDevice } from 'svc-miner';
import { askForDatasetPages, type SharedDataset } from 'svc-mining/pow';
import { init } from 'svc-wasm';
import { attachSharedPow, createSharedPow, POW_SIZES } from 'svc-wasm/kernel';
import { type BenchOptions, formatTime, type Row } from './harness.ts';
import { NativePow } from './pow-native.ts';
import { fillWithWords } from './pow-subject.ts';

const THREADS = 2;
const ROUNDS = 60;
/** About the miner's own batches: half a tenth of a second. */
const HASHES = 5_000;
const SMOKE_HASHES = 8;
const WITHIN_A_TENTH = 0.9;
/** Two threads share one memory. */
const TWO_BESIDE_ONE = 0.8;
const LANES = 4;
const KERNEL = fileURLToPath(import.meta.resolve('svc-wasm/svc.pow.wasm'));

/** Processor time of a hash, by how many threads searched at a time. */
class Costs {
  readonly #sums = new Map<number, { nanoseconds: number; hashes: number }>();

  add(threads: number, nanoseconds: number, hashes: number): void {
    const sum = this.#sums.get(threads) ?? { nanoseconds: 0, hashes: 0 };
    this.#sums.set(threads, sum);
    sum.nanoseconds += nanoseconds;
    sum.hashes += hashes;
  }

  of(threads: number): number {
    const { nanoseconds, hashes } = this.#sums.get(threads) ?? { nanoseconds: 0, hashes: 0 };
    return nanoseconds / hashes;
  }
}

/**
 * Pseudo-random words in huge pages instead of the items that take minutes to make. Hashes are wrong with them and cost as
 * much, since the reads are as random.
 */
function makeDataset(sizes: (typeof POW_SIZES)[keyof typeof POW_SIZES]): SharedDataset {
  const module = new WebAssembly.Module(readFileSync(KERNEL));
  const memory = createSharedPow({ module, ...sizes });
  askForDatasetPages(memory.buffer);
  fillWithWords(attachSharedPow(memory, module, 0).dataset);
  return { period: 0, memory, module, isLoaded: true };
}

function openDevices(options: BenchOptions): readonly CpuDevice[] {
  const shared = makeDataset(options.smoke ? POW_SIZES.development : POW_SIZES.mainnet);
  const datasets = { current: shared, prepare: async () => {} };
  return Array.from(
    { length: THREADS },
    (_, index) => new CpuDevice({ index, name: `thread ${index}`, datasets }),
  );
}

/** Nanoseconds of the processor that these devices take for `count` hashes each. */
async function costOfDevices(
  devices: readonly CpuDevice[],
  start: number,
  count: number,
): Promise<number> {
  const key = { seed: new Uint8Array(32), ...POW_SIZES.mainnet };
  const search = { period: 0, key, header: new Uint8Array(312), target: new Uint8Array(32), count };
  const before = process.cpuUsage();
  await Promise.all(
    devices.map((device, index) =>
      device.search({ ...search, start: BigInt(start + index * count) }),
    ),
  );
  const { user, system } = process.cpuUsage(before);
  return 1_000 * (user + system);
}

async function costOfNatives(
  natives: readonly NativePow[],
  start: number,
  count: number,
): Promise<number> {
  const processorTime = () => natives.reduce((sum, native) => sum + native.processorTime(), 0);
  const before = processorTime();
  await Promise.all(
    natives.map((native, index) => native.command('full', LANES, start + index * count, count)),
  );
  return processorTime() - before;
}

async function openNatives(options: BenchOptions): Promise<readonly NativePow[]> {
  const { datasetBytes } = options.smoke ? POW_SIZES.development : POW_SIZES.mainnet;
  const natives: NativePow[] = [];
  for (let thread = 0; thread < THREADS; thread++) {
    const native = NativePow.start();
    if (native === undefined) break;
    natives.push(native);
    await native.command('fill', datasetBytes / 128);
  }
  if (natives.length === 0)
    process.stdout.write('mining-cpu: no gcc here, so the comparison with C is passed over\n');
  return natives;
}

function rowsOf(ours: Costs, peer: Costs, hasNatives: boolean): Row[] {
  const rateOf = (nanoseconds: number): string =>
    `${formatTime(nanoseconds)} a hash, ${(1e6 / nanoseconds).toFixed(0)} kH/s a processor`;
  const rows = Array.from({ length: hasNatives ? THREADS : 0 }, (_, index) => {
    const threads = index + 1;
    return {
      name: `mining-cpu: ${threads} of the miner's threads beside ${threads} in C`,
      ours: `${rateOf(ours.of(threads))} (svc-miner)`,
      peer: `${rateOf(peer.of(threads))} (C)`,
      ratio: peer.of(threads) / ours.of(threads),
      limit: WITHIN_A_TENTH,
    };
  });
  return [
    ...rows,
    {
      name: 'mining-cpu: two threads beside one',
      ours: `${rateOf(ours.of(2))} (two threads)`,
      peer: `${rateOf(ours.of(1))} (one thread)`,
      ratio: ours.of(1) / ours.of(2),
      limit: TWO_BESIDE_ONE,
    },
  ];
}

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  const devices = openDevices(options);
  const natives = await openNatives(options);
  const count = options.smoke ? SMOKE_HASHES : HASHES;
  const rounds = options.smoke ? 1 : Math.ceil(ROUNDS * options.size);
  const [ours, peer] = [new Costs(), new Costs()];
  try {
    for (const threads of [1, THREADS]) await costOfDevices(devices.slice(0, threads), 0, count);
    for (let round = 1; round <= rounds; round++)
      for (const threads of [1, THREADS]) {
        const start = round * THREADS * count;
        const hashes = threads * count;
        ours.add(threads, await costOfDevices(devices.slice(0, threads), start, count), hashes);
        if (natives.length < THREADS) continue;
        peer.add(threads, await costOfNatives(natives.slice(0, threads), start, count), hashes);
      }
  } finally {
    for (const native of natives) native.stop();
    await Promise.all(devices.map((device) => device.close()));
  }
  return rowsOf(ours, peer, natives.length === THREADS);
}
