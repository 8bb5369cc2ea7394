/**
 * The proof of work beside the same algorithm in C, with the same interleaving, at the sizes of the
 * main network; then the making of the dataset by two threads beside one. Both sides do the same
 * work on the same indices, which their checksums show.
 */
import { init } from 'svc-wasm';
import { POW_SIZES } from 'svc-wasm/kernel';
import {
  type BenchOptions,
  formatTime,
  type LimitByProcessor,
  limitHere,
  type Row,
} from './harness.ts';
import { SharedFill } from './pow-fill.ts';
import { NativePow } from './pow-native.ts';
import { PowSubject, type Sample } from './pow-subject.ts';

const ITEMS_MAX = 2 ** 20;
const ROUNDS = 40;
/** After this many rounds indices repeat: by then the caches have dropped them. */
const FRESH_ROUNDS = 500;
/** The speed of a cache of 32 MiB depends on its pages, so both get new ones now and then. */
const MOVE_ROUNDS = 5;
const FILL_ROUNDS = 60;
const WITHIN_A_TENTH = 0.9;
/** Hashes wait for the memory of the dataset, whose times vary most where others use it too. */
const FOUR_NONCES: LimitByProcessor = { arm64: 0.9, x64: 0.85 };

interface Contest {
  readonly name: string;
  /** Operations in a sample. */
  readonly count: number;
  readonly rounds?: number;
  readonly ours: (from: number, count: number) => Sample;
  readonly peer: (from: number, count: number) => Promise<Sample>;
  /** Whether the two checksums have to be equal. */
  readonly sameSum: boolean;
  /** A tenth slower than C unless given. */
  readonly limit?: LimitByProcessor;
  /** Moves both caches to other memory. */
  readonly move?: () => Promise<unknown>;
}

interface Sides {
  readonly subject: PowSubject;
  readonly native: NativePow;
  readonly cacheItems: number;
  readonly pages: number;
}

function contestsOf({ subject, native, cacheItems, pages }: Sides): Contest[] {
  const move = () => {
    subject.move();
    return native.command('move', cacheItems);
  };
  return [
    {
      name: 'pow cache',
      count: 1,
      rounds: 3,
      ours: () => subject.cache(),
      peer: () => native.command('cache', cacheItems),
      sameSum: true,
    },
    {
      name: 'pow dataset item, four at a time',
      count: 2000,
      ours: (from, count) => subject.items(from, count),
      peer: (from, count) => native.command('items', 4, from, count),
      sameSum: true,
      move,
    },
    {
      name: 'pow light hash',
      count: 10,
      ours: (from, count) => subject.light(from, count),
      peer: (from, count) => native.command('light', pages, from, count),
      sameSum: true,
      move,
    },
    {
      name: 'pow full hash, one nonce',
      count: 1000,
      ours: (from, count) => subject.full(from, count),
      peer: (from, count) => native.command('full', 1, from, count),
      sameSum: true,
    },
    {
      name: 'pow full hash, four nonces at a time',
      count: 2000,
      ours: (from, count) => subject.search(from, count),
      peer: (from, count) => native.command('full', 4, from, count),
      sameSum: false,
      limit: FOUR_NONCES,
    },
  ];
}

async function compete(contest: Contest, options: BenchOptions): Promise<Row> {
  const count = options.smoke ? Math.min(contest.count, 4) : contest.count;
  const rounds = options.smoke ? 1 : Math.ceil((contest.rounds ?? ROUNDS) * options.size);
  let [ours, peer] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round++) {
    const from = (round % FRESH_ROUNDS) * count;
    if (round % MOVE_ROUNDS === 0) await contest.move?.();
    const mine = contest.ours(from, count);
    const theirs = await contest.peer(from, count);
    if (contest.sameSum && mine.checksum !== theirs.checksum) {
      throw new Error(`${contest.name}: ${mine.checksum} here, ${theirs.checksum} in C`);
    }
    ours = Math.min(ours, mine.nanoseconds / count);
    peer = Math.min(peer, theirs.nanoseconds / count);
  }
  return {
    name: contest.name,
    ours: `${formatTime(ours)} least (kernel)`,
    peer: `${formatTime(peer)} least (C)`,
    ratio: peer / ours,
    limit: limitHere(contest.limit ?? WITHIN_A_TENTH),
  };
}

async function besideNative(native: NativePow, options: BenchOptions): Promise<Row[]> {
  const { cacheBytes, datasetBytes } = options.smoke ? POW_SIZES.development : POW_SIZES.mainnet;
  const pages = datasetBytes / 128;
  const subject = new PowSubject(cacheBytes, datasetBytes, options.smoke ? 64 : ITEMS_MAX);
  const cacheItems = cacheBytes / 64;
  await native.command('cache', cacheItems);
  await native.command('fill', pages);
  const rows: Row[] = [];
  for (const contest of contestsOf({ subject, native, cacheItems, pages })) {
    rows.push(await compete(contest, options));
  }
  return rows;
}

async function byThreads(options: BenchOptions): Promise<Row> {
  const { cacheBytes, datasetBytes } = options.smoke ? POW_SIZES.development : POW_SIZES.mainnet;
  const rounds = options.smoke ? 1 : Math.ceil(FILL_ROUNDS * options.size);
  const items = options.smoke ? 64 : 4_096;
  const fill = new SharedFill(cacheBytes, 2 * (rounds + 1) * items, 2);
  await fill.sample(2, items);
  let [one, two] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round++) {
    one = Math.min(one, await fill.sample(1, items));
    two = Math.min(two, await fill.sample(2, items));
  }
  await fill.stop();
  const whole = (each: number) =>
    `${formatTime(each)} an item, ${((each * datasetBytes) / 64e9).toFixed(0)} s a dataset`;
  const name = 'pow dataset, two threads';
  const [ours, peer] = [`${whole(two)} (two threads)`, `${whole(one)} (one thread)`];
  return { name, ours, peer, ratio: one / two, limit: 1.8 };
}

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  const native = NativePow.start();
  if (native === undefined) {
    process.stdout.write('pow: no gcc here, so the comparison with C is passed over\n');
    return [await byThreads(options)];
  }
  try {
    return [...(await besideNative(native, options)), await byThreads(options)];
  } finally {
    native.stop();
  }
}
