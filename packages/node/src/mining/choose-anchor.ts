/**
 * Chooses the anchor of a template. The amount of an anchor is divided among its own blocks and blocks may come for 95
 * cuts, so a miner that picks anchors with few blocks takes from those that all pick the same one. Templates therefore
 * spread blocks over the open anchors, more of them to anchors that have fewer and close sooner.
 */
import { registrationWindowEnd } from 'svc-ledger';
import type { Random } from '../mempool/select.ts';

export interface OpenAnchor {
  readonly height: number;
  /** Those that are registered and those that wait for a cut. */
  readonly blocks: number;
  readonly target: bigint;
}

export interface AnchorSituation {
  readonly head: number;
  /** The number that the difficulty aims at. */
  readonly blocksPerCut: number;
}

interface Fill {
  /** Parts of blocks that the anchor has. */
  readonly filled: number;
  readonly cuts: number;
}

/** Cuts left to the miner and the validators after the template is made, so that few blocks expire. */
const RESERVED_CUTS = 8;
/** Measured: with 1 instead of 4, a strategist gains 7 instead of 3.5 percent at 2 blocks a cut. */
const FILL_PARTS = 4;
/** Blocks are counted in parts of one. */
const BLOCK = 65_536;

/** Whether the rule gives a miner this anchor: its block has time to be registered. */
export function hasTime(anchorHeight: number, head: number): boolean {
  return cutsLeft(anchorHeight, head) > 0;
}

/**
 * Weights of anchors that have time, in their order: the blocks that an anchor lacks to a level, divided by the cuts that it
 * has left. The level is the highest to which the blocks of each cut, as many as the difficulty aims at, bring the
 * anchors below it within a quarter of these cuts. A low level spreads blocks less widely, yet fills no anchor so far
 * that the others would have to stay below it. An anchor with a harder target is full with fewer blocks: each of them
 * cost more hashes.
 */
export function anchorWeights(
  anchors: readonly OpenAnchor[],
  { head, blocksPerCut }: AnchorSituation,
): number[] {
  const easiest = anchors.reduce((most, { target }) => (target > most ? target : most), 0n);
  const fills: Fill[] = anchors.map(({ height, blocks, target }) => ({
    filled: Number((BigInt(blocks * BLOCK) * easiest) / target),
    cuts: cutsLeft(height, head),
  }));
  const weightAt = (level: number, { filled, cuts }: Fill) =>
    level > filled ? Math.floor((level - filled) / cuts) : 0;
  const wanted = Math.ceil((blocksPerCut * BLOCK) / FILL_PARTS);
  let low = Math.min(...fills.map(({ filled }) => filled));
  let high = low + wanted * Math.max(...fills.map(({ cuts }) => cuts));
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const sum = fills.reduce((weights, fill) => weights + weightAt(middle, fill), 0);
    if (sum < wanted) low = middle + 1;
    else high = middle;
  }
  return fills.map((fill) => weightAt(low, fill));
}

/** An index, as likely as its weight says. */
export function drawByWeight(weights: readonly number[], random: Random): number {
  let drawn = random.below(weights.reduce((sum, weight) => sum + weight, 0));
  return weights.findIndex((weight) => {
    drawn -= weight;
    return drawn < 0;
  });
}

function cutsLeft(anchorHeight: number, head: number): number {
  return registrationWindowEnd(anchorHeight) - 1 - head - RESERVED_CUTS;
}
