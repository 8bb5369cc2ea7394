/**
 * What a seed decides about the peers of full nodes: who knows whom, who lags, how many lie, whom the miner works for.
 */
import { Random } from '../../base/random.ts';
import {
  PEER_FAULT_NAMES,
  PEST_NAMES,
  type PeerFaultName,
  type PestName,
  type PlanOptions,
} from '../../plan/plan.ts';

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
  readonly pests: PestPlan;
}

/** For each node, how many peers cost it something without claiming anything. */
export interface PestPlan {
  /** Announce what nobody has. */
  readonly flooders: number;
  /** Announce first what others have, and answer nothing. */
  readonly announcers: number;
  /** Ask for more than a node can send, from one range of addresses. */
  readonly askers: number;
  /** What nodes send in answers at most, where somebody asks for too much; else 0, which is no limit. */
  readonly uploadBytesPerSecond: number;
}

/** Seeds with peers cost twice the time of others. */
const PEERS_RATE = 0.15;
const LAG_MS_MAX = 4_000;
const LIARS_MAX = 4;
/** Drawn apart, so that other seeds stay what they are. */
const FLITTING_RATE = 0.25;
/** Of seeds with peers; a flood costs much of a simulation's time. */
const PEST_RATES: Readonly<Record<PestName, number>> = {
  floodingPeers: 0.1,
  silentPeers: 0.25,
  reopeningPeers: 0.2,
};
const PEST_STREAM = 30;
const FLOODERS_MAX = 3;
const ANNOUNCERS_MAX = 3;
const ASKERS_MIN = 12;
const ASKERS_MAX = 16;
/** Several times what a node that follows needs, and too little for one of many that share it. */
const UPLOAD_BYTES_PER_SECOND = 65_536;
/** When the first start is over; liars would only delay it. */
const LIARS_FROM_MS_MIN = 1_500;
const LIARS_FROM_MS_MAX = 6_000;

export function drawPeerPlan(
  seed: number,
  validators: number,
  options: PlanOptions,
): PeerPlan | undefined {
  const { without, always } = options;
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
  const pests = drawPests(seed, options);
  // Whoever follows by sync alone shows whether answers come; a slow disk would hide it.
  const isAsked = pests.askers > 0;
  return {
    observers: on.has('laggingPeers') || isAsked ? 1 : 0,
    isStar,
    lagMs: isAsked ? 0 : lagMs,
    liars: on.has('lyingPeers') ? (areLiarsFlitting ? 1 : liars) : 0,
    liarsFromMs,
    areLiarsFlitting,
    miner,
    pests,
  };
}

function drawPests(seed: number, { without, always }: PlanOptions): PestPlan {
  const random = new Random(seed, PEST_STREAM);
  const on = new Set<PestName>();
  for (const name of PEST_NAMES)
    if (random.chance(PEST_RATES[name]) || always?.has(name) === true)
      if (without?.has(name) !== true) on.add(name);
  const flooders = random.integer(2, FLOODERS_MAX);
  const announcers = random.integer(1, ANNOUNCERS_MAX);
  const askers = random.integer(ASKERS_MIN, ASKERS_MAX);
  return {
    flooders: on.has('floodingPeers') ? flooders : 0,
    announcers: on.has('silentPeers') ? announcers : 0,
    askers: on.has('reopeningPeers') ? askers : 0,
    uploadBytesPerSecond: on.has('reopeningPeers') ? UPLOAD_BYTES_PER_SECOND : 0,
  };
}
