/**
 * A network in a test: snapshot and revert, of which the slowest is held against a limit of processor time, a test that
 * pays and reverts, and a cut of a jump over epochs, of which the median is. Collections of garbage count where they fall.
 * Size 1 is sixty of each; for cuts these are sixty jumps over one epoch.
 */
import { balance, coins, pay } from 'svc-client';
import { createDevnet, type Devnet } from 'svc-devnet';
import { type BenchOptions, formatTime, type Row } from './harness.ts';

const ROUNDS = 60;
const SMOKE_ROUNDS = 2;
/** Rounds that meet cold code. */
const WARM_ROUNDS = 20;
const STATE_MILLIS_MAX = 50;
const TEST_MILLIS_MAX = 100;
const CUT_MILLIS_MAX = 2;
const NANOSECONDS = 1e6;

export async function bench({ smoke, size }: BenchOptions): Promise<readonly Row[]> {
  const net = await createDevnet();
  try {
    await net.mine(2);
    const rounds = smoke ? SMOKE_ROUNDS : Math.ceil(ROUNDS * size);
    const [snapshots, reverts, tests]: number[][] = [[], [], []];
    for (let round = smoke ? 0 : -WARM_ROUNDS; round < rounds; round++) {
      const name = await net.snapshot();
      const times = [
        await processorTime(() => net.snapshot()),
        await processorTime(() => payOnce(net)),
        await processorTime(() => net.revert(name)),
      ] as const;
      if (round < 0) continue;
      snapshots?.push(times[0]);
      reverts?.push(times[2]);
      tests?.push(times[1] + times[2]);
    }
    return [
      row('snapshot', snapshots ?? [], STATE_MILLIS_MAX),
      row('revert', reverts ?? [], STATE_MILLIS_MAX),
      row('test', tests ?? [], TEST_MILLIS_MAX, 'median'),
      row('cut of a jump', await jumps(net, rounds), CUT_MILLIS_MAX, 'median'),
    ];
  } finally {
    await net.close();
  }
}

/** What a short test does: a payment that becomes final, and a balance. */
async function payOnce(net: Devnet): Promise<void> {
  const [alice, bob] = net.accounts;
  const wish = { from: alice, to: bob.address, amount: coins('1') };
  const { transactionId } = await pay(net.client, wish);
  await net.mineUntilFinal(transactionId);
  await balance(net.client, bob.address);
}

/** What a cut takes in each of so many jumps over one epoch. */
async function jumps(net: Devnet, rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = net.height;
    const time = await processorTime(() => net.advance({ epochs: 1 }));
    times.push(time / (net.height - before));
  }
  return times;
}

/** Nanoseconds of all threads. */
async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return 1_000 * (user + system);
}

function row(
  name: string,
  times: readonly number[],
  millisMax: number,
  judged: 'slowest' | 'median' = 'slowest',
): Row {
  const sorted = times.toSorted((a, b) => a - b);
  const median = sorted[sorted.length >> 1] ?? 0;
  const most = sorted.at(-1) ?? 0;
  return {
    name: `devnet::${name}`,
    ours: `${formatTime(median)} median, ${formatTime(most)} the slowest of ${times.length} (processor, all threads)`,
    peer: `${millisMax} ms, the limit of the ${judged}`,
    ratio: (millisMax * NANOSECONDS) / (judged === 'median' ? median : most),
    limit: 1,
  };
}
