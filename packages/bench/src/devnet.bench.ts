/**
 * A network in a test: snapshot and revert, on a chain of a few cuts and on one of more than 2,000, of which the slowest is
 * held against a limit of processor time, a test that pays and reverts, and a cut of a jump over epochs, of which the median
 * is. Collections of garbage count where they fall. Size 1 is sixty of each; for cuts these are sixty jumps over one epoch.
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
const LONG_CHAIN_CUTS = 2_000;
const NANOSECONDS = 1e6;

interface Times {
  readonly snapshots: number[];
  readonly reverts: number[];
  readonly tests: number[];
}

export async function bench({ smoke, size }: BenchOptions): Promise<readonly Row[]> {
  const net = await createDevnet();
  try {
    await net.mine(2);
    const rounds = smoke ? SMOKE_ROUNDS : Math.ceil(ROUNDS * size);
    const warmRounds = smoke ? 0 : WARM_ROUNDS;
    const few = await useSnapshots(net, rounds, warmRounds);
    const cuts = await jumps(net, rounds);
    while (!smoke && net.height < LONG_CHAIN_CUTS) await net.advance({ epochs: 1 });
    const many = await useSnapshots(net, rounds, warmRounds);
    return [
      row('snapshot', few.snapshots, STATE_MILLIS_MAX),
      row('revert', few.reverts, STATE_MILLIS_MAX),
      row('test', few.tests, TEST_MILLIS_MAX, 'median'),
      row('snapshot, long chain', many.snapshots, STATE_MILLIS_MAX),
      row('revert, long chain', many.reverts, STATE_MILLIS_MAX),
      row('test, long chain', many.tests, TEST_MILLIS_MAX, 'median'),
      row('cut of a jump', cuts, CUT_MILLIS_MAX, 'median'),
    ];
  } finally {
    await net.close();
  }
}

/** What snapshots, reverts and tests take where the chain is; the first rounds are not counted. */
async function useSnapshots(net: Devnet, rounds: number, warmRounds: number): Promise<Times> {
  const times: Times = { snapshots: [], reverts: [], tests: [] };
  for (let round = -warmRounds; round < rounds; round++) {
    const name = await net.snapshot();
    const snapshot = await processorTime(() => net.snapshot());
    const payment = await processorTime(() => payOnce(net));
    const revert = await processorTime(() => net.revert(name));
    if (round < 0) continue;
    times.snapshots.push(snapshot);
    times.reverts.push(revert);
    times.tests.push(payment + revert);
  }
  return times;
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
