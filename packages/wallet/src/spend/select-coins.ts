/**
 * Which outputs a payment spends: as few as possible, at most as many as the chain allows. If any choice
 * covers the payment one is found, because for each number of outputs the choice worth most after the fee for
 * spending it is known. Pure: it reads coins and reserves nothing.
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
  /** The fee that spending this coin adds, as the first of its address. */
  costOf(coin: Coin): bigint;
  /** The fee that a further coin of an address adds: its witness is there already. */
  readonly repeatedCost: bigint;
  /** No coin costs more than this. */
  readonly costMax: bigint;
}

export type Selection =
  | { readonly coins: readonly Coin[] }
  /** The atoms that the best choice within the limit lacks. */
  | { readonly missing: bigint };

/** Coins whose amounts lie close together can differ in worth by their cost; this many are looked at. */
const CANDIDATES_MAX = 64;

export function selectCoins(source: CoinSource, task: SelectionTask): Selection {
  const single = source.smallestAtLeast(task.target + task.costMax);
  if (single !== undefined) return { coins: [single] };
  const choices = bestChoices(source, task);
  const enough = choices.find((choice) => choice !== undefined && choice.worth >= task.target);
  if (enough === undefined) return { missing: task.target - largestWorth(choices) };
  return { coins: withSmallerLast(source, task, enough) };
}

/** Coins that are spent together. */
interface Choice {
  readonly coins: readonly Coin[];
  /** What they are worth after the fee for spending them. */
  readonly worth: bigint;
}

/** For each number of coins up to the limit, the choice that is worth most; none where there are too few coins. */
function bestChoices(source: CoinSource, task: SelectionTask): (Choice | undefined)[] {
  let best: (Choice | undefined)[] = [{ coins: [], worth: 0n }];
  for (const own of coinsByAddress(candidates(source, task))) {
    const next = [...best];
    for (const [count, choice] of best.entries()) {
      if (choice === undefined) continue;
      let worth = choice.worth - task.costOf(own[0] as Coin) + task.repeatedCost;
      for (const [at, coin] of own.slice(0, task.inputsMax - count).entries()) {
        worth += coin.amount - task.repeatedCost;
        const known = next[count + at + 1];
        if (known !== undefined && known.worth >= worth) continue;
        next[count + at + 1] = { coins: [...choice.coins, ...own.slice(0, at + 1)], worth };
      }
    }
    best = next;
  }
  return best;
}

/** Coins of one address side by side, addresses and their coins in the order in which they come. */
export function coinsByAddress(coins: readonly Coin[]): Coin[][] {
  return [...Map.groupBy(coins, ({ addressId }) => addressId).values()];
}

function largestWorth(choices: readonly (Choice | undefined)[]): bigint {
  return choices.reduce(
    (most, choice) => (choice && choice.worth > most ? choice.worth : most),
    0n,
  );
}

/** Coins that can be part of a best choice: a smaller one than these loses to any of them, whatever it costs. */
function candidates(source: CoinSource, task: SelectionTask): Coin[] {
  const largest = source.largest(CANDIDATES_MAX);
  const last = largest[Math.min(task.inputsMax, largest.length) - 1];
  return largest.filter(({ amount }) => amount + task.costMax >= (last as Coin).amount);
}

/** The smallest coin need not be a large one: the smallest that closes the gap leaves the large ones whole. */
function withSmallerLast(source: CoinSource, task: SelectionTask, choice: Choice): readonly Coin[] {
  const last = choice.coins.reduce((least, coin) => (coin.amount < least.amount ? coin : least));
  const kept = choice.coins.filter(({ id }) => id !== last.id);
  const open = task.target - worthOf(kept, task);
  const found = source.smallestAtLeast(open + task.costMax);
  const isBetter =
    found !== undefined && found.amount < last.amount && !kept.some(({ id }) => id === found.id);
  return isBetter ? [...kept, found] : choice.coins;
}

function worthOf(coins: readonly Coin[], task: SelectionTask): bigint {
  return coinsByAddress(coins).reduce((sum, own) => {
    const cost = task.costOf(own[0] as Coin) + BigInt(own.length - 1) * task.repeatedCost;
    return own.reduce((all, { amount }) => all + amount, sum) - cost;
  }, 0n);
}
