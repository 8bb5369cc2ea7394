/**
 * A network of miners that choose anchors, without hashes: blocks come at random, all miners but one use the rule of
 * templates, one uses a strategy. Rewards are those of the specification: one amount for each anchor, divided equally
 * among the blocks that cuts registered before its window closed.
 */
import { REGISTRATION_WINDOW_CUTS, registrationWindowEnd } from 'svc-ledger';
import { anchorWeights, drawByWeight, hasTime, type OpenAnchor } from '../templates.ts';

export interface AnchorNetwork {
  readonly blocksPerCut: number;
  readonly cuts: number;
  /** Of the hashes, those of the strategist. */
  readonly share: number;
  /** Templates of the others know the blocks of so many cuts ago; the strategist knows every block at once. */
  readonly delayCuts: number;
  /** All others mine on the head. */
  readonly isOnHead: boolean;
}

/** What the strategist sees: how many blocks each open anchor has. */
export interface Sight {
  readonly head: number;
  readonly blocksPerCut: number;
  /** The oldest anchor whose blocks the next cut can register. */
  readonly oldest: number;
  blocksOn(height: number): number;
  readonly shares: MeanShares;
}

/** Chooses the height of an anchor. */
export type Strategy = (sight: Sight) => number;

/** What a further block earned on average, by the blocks on its anchor and the age of the anchor. */
export type MeanShares = ReadonlyMap<number, number>;

interface Run extends AnchorNetwork {
  readonly strategy?: Strategy;
  readonly shares?: MeanShares;
  /** Sees the network after each cut. */
  readonly onCut?: (head: number, blocksOn: (height: number) => number) => void;
}

interface Result {
  /** What a block of the strategist earns, compared with one of the others. Expired blocks count, and earn nothing. */
  readonly gain: number;
  readonly blocksOn: (height: number) => number;
}

interface Known {
  readonly head: number;
  readonly anchors: readonly OpenAnchor[];
}

const TARGET = 1n << 240n;
const WARM_UP_CUTS = 300;
/** Of the blocks of a cut, those that reach the validators too late for the next one. */
const LATE_PART = 0.2;
/** Ages are taken together in groups of so many cuts. */
const AGE_CUTS = 6;
const SAMPLES_MIN = 400;

export const STRATEGIES: Readonly<Record<string, Strategy>> = {
  head: ({ head }) => head,
  oldest: ({ oldest }) => oldest,
  emptiest: (sight) => emptiestOf(sight, REGISTRATION_WINDOW_CUTS),
  'emptiest of the oldest 10': (sight) => emptiestOf(sight, 10),
  'emptiest of the oldest 40': (sight) => emptiestOf(sight, 40),
  'best expected share': (sight) => bestOf(sight, expectedShare),
  'best mean share': (sight) =>
    bestOf(
      sight,
      (height) => sight.shares.get(cellOf(sight.blocksOn(height), sight.head - height)) ?? 0,
    ),
};

function emptiestOf(sight: Sight, oldestAnchors: number): number {
  const { oldest, head } = sight;
  const end = oldest + oldestAnchors;
  return bestOf(sight, (height) =>
    (height > oldest && height <= end) || height === head ? -sight.blocksOn(height) : -Infinity,
  );
}

/** As if each open anchor got the blocks that it lacks evenly. */
function expectedShare(height: number, { head, blocksPerCut, blocksOn }: Sight): number {
  const left = (registrationWindowEnd(height) - 1 - head) / REGISTRATION_WINDOW_CUTS;
  const blocks = blocksOn(height) + 1;
  return 1 / Math.max(blocks, left * blocksPerCut + (1 - left) * blocks);
}

/** The oldest of the best; not the very oldest anchor, whose blocks the next cut alone can register. */
function bestOf(sight: Sight, worthOf: (height: number, sight: Sight) => number): number {
  let best = sight.head;
  let most = -Infinity;
  for (let height = Math.min(sight.oldest + 1, sight.head); height <= sight.head; height++) {
    const value = worthOf(height, sight);
    if (value > most) [best, most] = [height, value];
  }
  return best;
}

export function runAnchorNetwork(run: Run): Result {
  const { blocksPerCut, cuts, share, delayCuts, strategy, shares = new Map() } = run;
  const random = mulberry(run.cuts + blocksPerCut);
  const blocks = new Float64Array(cuts + 1);
  const blocksOn = (height: number) => blocks[height] as number;
  const others = { found: 0, measured: new Float64Array(cuts + 1) };
  const own = { found: 0, measured: new Float64Array(cuts + 1) };
  const known: Known[] = [];
  for (let head = 0; head < cuts; head++) {
    const oldest = Math.max(0, head + 2 - REGISTRATION_WINDOW_CUTS);
    const open: OpenAnchor[] = [];
    for (let height = oldest; height <= head; height++)
      if (hasTime(height, head)) open.push({ height, blocks: blocksOn(height), target: TARGET });
    known.push({ head, anchors: open });
    if (known.length > delayCuts + 1) known.shift();
    const draw = drawerOf(run, known[0] as Known, random);
    const isMeasured = head >= WARM_UP_CUTS && head < cuts - 2 * REGISTRATION_WINDOW_CUTS;
    for (let count = poisson(blocksPerCut, random); count > 0; count--) {
      const chooses = random() < share ? strategy : undefined;
      const anchor = chooses?.({ head, blocksPerCut, oldest, blocksOn, shares }) ?? draw();
      const cut = head + 1 + (random() < LATE_PART ? 1 : 0);
      const miner = chooses === undefined ? others : own;
      if (isMeasured) miner.found++;
      if (cut >= registrationWindowEnd(anchor)) continue;
      increase(blocks, anchor);
      if (isMeasured) increase(miner.measured, anchor);
    }
    if (isMeasured) run.onCut?.(head, blocksOn);
  }
  const meanOf = ({ found, measured }: typeof own) =>
    measured.reduce((sum, count, height) => sum + count / Math.max(1, blocksOn(height)), 0) / found;
  return { gain: meanOf(own) / meanOf(others), blocksOn };
}

function increase(counts: Float64Array, height: number): void {
  counts[height] = (counts[height] as number) + 1;
}

/** How the miners that use templates choose on what they know. */
function drawerOf({ blocksPerCut, isOnHead }: Run, known: Known, random: () => number) {
  const { head, anchors } = known;
  if (isOnHead) return () => head;
  const weights = anchorWeights(anchors, { head, blocksPerCut });
  const below = (limit: number) => Math.floor(random() * limit);
  return () => (anchors[drawByWeight(weights, { below })] as OpenAnchor).height;
}

/** Learns from a network without a strategist what blocks on its anchors are worth. */
export function meanShares(network: AnchorNetwork): MeanShares {
  const sums = new Map<number, { sum: number; samples: number }>();
  const visits: (readonly [height: number, cell: number])[] = [];
  const onCut = (head: number, blocksOn: (height: number) => number) => {
    for (let height = head; height > head + 2 - REGISTRATION_WINDOW_CUTS; height--)
      visits.push([height, cellOf(blocksOn(height), head - height)]);
  };
  const { blocksOn } = runAnchorNetwork({ ...network, onCut });
  for (const [height, cell] of visits) {
    const entry = sums.get(cell) ?? { sum: 0, samples: 0 };
    entry.sum += 1 / (blocksOn(height) + 1);
    entry.samples++;
    sums.set(cell, entry);
  }
  const known = [...sums].filter(([, { samples }]) => samples >= SAMPLES_MIN);
  return new Map(known.map(([cell, { sum, samples }]) => [cell, sum / samples]));
}

function cellOf(blocks: number, age: number): number {
  return blocks * REGISTRATION_WINDOW_CUTS + Math.floor(age / AGE_CUTS);
}

function poisson(mean: number, random: () => number): number {
  let count = -1;
  for (let rest = mean; rest > 0; count++) rest += Math.log(random());
  return count;
}

function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
