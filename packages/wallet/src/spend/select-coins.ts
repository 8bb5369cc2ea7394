/**
 * Which outputs a payment spends: as few as possible, at most as many as the chain allows. If any choice
 * covers the payment one is found, because the outputs worth most after the fee for spending them are tried
 * together. Pure: it reads coins and reserves nothing.
 */
import type { Coin } from '../state/outputs.ts';

export interface CoinSource {
  /** The smallest free coin of at least this amount. */
  smallestAtLeast(amount: bigint): Coin | undefined;
  /** The largest free coins, the largest first. */
  largest(limit: number): Coin[];
}

export interface SelectionTask {
  /** What the inputs must cover beyond the fee of the inputs themselves. */
  readonly target: bigint;
  readonly inputsMax: number;
  /** The fee that spending this coin adds. */
  costOf(coin: Coin): bigint;
  /** No coin costs more than this. */
  readonly costMax: bigint;
}

export type Selection =
  | { readonly coins: readonly Coin[] }
  /** What the best choice within the limit lacks. */
  | { readonly missing: bigint };

/** Coins whose amounts lie close together can differ in worth by their cost; this many are looked at. */
const CANDIDATES_MAX = 64;

export function selectCoins(source: CoinSource, task: SelectionTask): Selection {
  const single = source.smallestAtLeast(task.target + task.costMax);
  if (single !== undefined) return { coins: [single] };
  const best = bestCoins(source, task);
  let covered = 0n;
  for (const [at, coin] of best.entries()) {
    covered += worthOf(coin, task);
    if (covered < task.target) continue;
    const kept = best.slice(0, at);
    const open = task.target - (covered - worthOf(coin, task));
    return { coins: [...kept, smallerLast(source, task, kept, open) ?? coin] };
  }
  return { missing: task.target - covered };
}

function worthOf(coin: Coin, task: SelectionTask): bigint {
  return coin.amount - task.costOf(coin);
}

/** The coins worth most after their cost, at most as many as one transaction takes. */
function bestCoins(source: CoinSource, task: SelectionTask): Coin[] {
  const largest = source.largest(CANDIDATES_MAX);
  const last = largest[Math.min(task.inputsMax, largest.length) - 1];
  if (last === undefined) return [];
  return largest
    .filter(({ amount }) => amount + task.costMax >= last.amount)
    .map((coin) => ({ coin, worth: worthOf(coin, task) }))
    .filter(({ worth }) => worth > 0n)
    .sort((a, b) => compare(b.worth, a.worth) || a.coin.id - b.coin.id)
    .slice(0, task.inputsMax)
    .map(({ coin }) => coin);
}

/** The last coin need not be a large one: the smallest that closes the gap leaves the large ones whole. */
function smallerLast(
  source: CoinSource,
  task: SelectionTask,
  kept: readonly Coin[],
  open: bigint,
): Coin | undefined {
  const found = source.smallestAtLeast(open + task.costMax);
  return found === undefined || kept.some(({ id }) => id === found.id) ? undefined : found;
}

function compare(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
