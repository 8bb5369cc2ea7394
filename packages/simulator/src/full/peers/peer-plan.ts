/**
 * What a seed decides about the peers of full nodes: who knows whom, who lags, how many lie, whom the miner works for.
 */
import { Random } from '../../base/random.ts';
import { PEER_FAULT_NAMES, type PeerFaultName, type PlanOptions } from '../../plan/plan.ts';

export interface PeerPlan {
  /** Nodes that sign nothing and follow the chain by sync alone. */
  readonly observers: number;
  /** In a star the validators know each other as peers only through the first observer; else everybody knows two. */
  readonly isStar: boolean;
  /** How long the disks of observers take for a cut. */
  readonly lagMs: number;
  /** Peers of each node that claim heights and prove none. */
  readonly liars: number;
  readonly liarsFromMs: number;
  /** Whether there is one liar for each node, who comes for moments, again and again. */
  readonly areLiarsFlitting: boolean;
  /** The validator whose node the miner asks for work. */
  readonly miner: number;
}

/** Seeds with peers cost twice the time of others. */
const PEERS_RATE = 0.15;
const LAG_MS_MAX = 4_000;
const LIARS_MAX = 4;
/** Drawn apart, so that other seeds stay what they are. */
const FLITTING_RATE = 0.25;
/** When the first start is over; liars would only delay it. */
const LIARS_FROM_MS_MIN = 1_500;
const LIARS_FROM_MS_MAX = 6_000;

export function drawPeerPlan(
  seed: number,
  validators: number,
  { without, always }: PlanOptions,
): PeerPlan | undefined {
  const random = new Random(seed, 11);
  const on = new Set<PeerFaultName>();
  for (const name of PEER_FAULT_NAMES)
    if (random.chance(name === 'peers' ? PEERS_RATE : 0.5) || always?.has(name) === true)
      if (without?.has(name) !== true) on.add(name);
  const lagMs = random.between(0, LAG_MS_MAX);
  const liars = random.integer(2, LIARS_MAX);
  const liarsFromMs = random.between(LIARS_FROM_MS_MIN, LIARS_FROM_MS_MAX);
  const miner = random.integer(0, validators - 1);
  const isStar = on.has('laggingPeers') && random.chance(0.7);
  // One is enough: several would use up in a short time what claims may cost.
  const areLiarsFlitting = new Random(seed, 14).chance(FLITTING_RATE);
  if (!on.has('peers')) return undefined;
  return {
    observers: on.has('laggingPeers') ? 1 : 0,
    isStar,
    lagMs,
    liars: on.has('lyingPeers') ? (areLiarsFlitting ? 1 : liars) : 0,
    liarsFromMs,
    areLiarsFlitting,
    miner,
  };
}
