/**
 * The numbers of the ledger: constants that are the same on every network, and the few that a
 * network chooses. Heights, epochs and windows are computed here and nowhere else.
 */
import { invariant } from './assertion.ts';
import type { ChainRecovery, Network } from './protocol.ts';

export const ATOMS_PER_COIN = 100_000_000n;
export const MAX_SUPPLY = 200_000_000n * ATOMS_PER_COIN;
export const EMISSION_TOTAL = 180_000_000n * ATOMS_PER_COIN;
export const GENESIS_SUPPLY = MAX_SUPPLY - EMISSION_TOTAL;

export const REGISTRATION_WINDOW_CUTS = 96;
/** The cuts up to an anchor, itself included, whose blocks may be parents. */
export const PARENT_CUTS = 96;
export const BLOCKS_PER_CUT_MAX = 256;
export const BLOCK_BODY_BYTES_MAX = 64_000;
export const BLOCK_MASS_MAX = 200_000n;
export const EVIDENCE_PER_CUT_MAX = 4;

export const COMMITTEE_SIZE_MAX = 64;
export const SELF_BOND_MIN = 100_000n * ATOMS_PER_COIN;
export const COMMISSION_BPS_MAX = 1_000;
export const COMMISSION_BPS_STEP = 10;
export const COMMISSION_DELAY_EPOCHS = 14;
export const KEY_DELAY_EPOCHS = 2;
export const ENDPOINT_DELAY_EPOCHS = 2;
export const ELIGIBILITY_DELAY_EPOCHS = 2;
export const HEARTBEAT_EPOCHS = 2;
export const JAIL_EPOCHS = 2;
export const ATTENDANCE_WINDOWS = 12;
export const ATTENDANCE_WINDOWS_MIN = 9;
/** In how many cuts of a window a member must have signed to be present in it. */
export const ATTENDANCE_SIGNATURES_MIN = 1;
export const UNBONDING_EPOCHS = 10;
export const UNBONDING_CHUNKS_MAX = 16;
export const SLASHED_DELEGATION_DIVISOR = 10n;
/** For how many epochs a spent output is remembered together with its spender. */
export const SPENT_MEMORY_EPOCHS = 2;
/** A delay beyond this is forgiven instead of being made up by faster cuts. */
export const PACE_DEBT_MILLIS_MAX = 600_000;
/** Cuts that make up lateness are not closer than this, or than the pace where that is shorter. */
export const CUT_DISTANCE_MILLIS_MIN = 1_000;
export const WORK_HALF_LIFE_CUTS = 288;
export const MIN_FEE_PER_MASS = 10n;
/** The least that a delegation holds; a validator's own bond has a minimum of its own. */
export const POSITION_MIN = 100n * ATOMS_PER_COIN;

export interface LedgerParameters {
  readonly network: Network;
  /** Cuts of an interval, which is also called a day and an epoch. */
  readonly interval: number;
  /** Work blocks in a cut that the difficulty aims at. */
  readonly workBlocksTarget: number;
  readonly workTargetMin: bigint;
  readonly workTargetMax: bigint;
  readonly minFeePerMass: bigint;
  /** What a delegation holds at least, as long as anything of it is bonded. */
  readonly positionMin: bigint;
  /** Stake rewards that a cut pays at most. */
  readonly stakePayoutsPerCut: number;
  /** The most positions that a cut reads for them; those that are due nothing cost no payment. */
  readonly stakeVisitsPerCut: number;
  /** The recoveries of the chain that are followed, of different heights. They are rules of the one chain that they name. */
  readonly recoveries: readonly ChainRecovery[];
}

const HASHES = 1n << 256n;
const STAKE_VISITS_PER_PAYOUT = 4;

function parameters(
  network: Network,
  interval: number,
  workBlocksTarget: number,
  workTargetMax: bigint,
  stakePayoutsPerCut: number,
): LedgerParameters {
  return {
    network,
    interval,
    workBlocksTarget,
    workTargetMin: 1n << 64n,
    workTargetMax,
    minFeePerMass: MIN_FEE_PER_MASS,
    positionMin: POSITION_MIN,
    stakePayoutsPerCut,
    stakeVisitsPerCut: STAKE_VISITS_PER_PAYOUT * stakePayoutsPerCut,
    recoveries: [],
  };
}

export const LEDGER_PARAMETERS: Readonly<Record<Network, LedgerParameters>> = {
  mainnet: parameters('mainnet', 34_560, 64, HASHES / 256n, 256),
  testnet: parameters('testnet', 34_560, 64, HASHES / 256n, 256),
  testnet100: parameters('testnet100', 360, 64, HASHES / 256n, 9_216),
  development: parameters('development', 120, 2, HASHES / 4n, 27_648),
};

/** Refuses parameters whose relations do not hold; a network's own are checked by a test. */
export function checkParameters(parameters: LedgerParameters): void {
  const { interval, workBlocksTarget, workTargetMin, workTargetMax } = parameters;
  invariant(
    Number.isSafeInteger(interval) && interval > 0 && interval % ATTENDANCE_WINDOWS === 0,
    `an interval of ${interval} cuts does not divide into ${ATTENDANCE_WINDOWS} windows`,
  );
  invariant(
    Number.isSafeInteger(workBlocksTarget) &&
      workBlocksTarget > 0 &&
      workBlocksTarget <= BLOCKS_PER_CUT_MAX,
    `${workBlocksTarget} blocks in a cut cannot be aimed at`,
  );
  invariant(
    0n < workTargetMin && workTargetMin <= workTargetMax && workTargetMax < HASHES,
    'the work targets are out of order',
  );
  invariant(parameters.minFeePerMass >= 0n, 'the minimum fee is negative');
  invariant(
    parameters.positionMin > 0n &&
      parameters.stakePayoutsPerCut > 0 &&
      parameters.stakeVisitsPerCut > 0 &&
      stakePayoutCuts(parameters) <= BigInt(interval),
    `${interval} cuts do not suffice to pay every position that there can be`,
  );
}

/**
 * The largest number of cuts that paying one interval takes, whatever the owners do. Every cut of the payment but the
 * last has used up its payments or its visits.
 *
 * A position is paid if it had bonded coins when the interval began, and then it had the minimum at least: there are
 * at most as many payments as minimums in all coins. A position is visited if it exists. The part of a position that
 * unbonded last was the minimum at least, and a slash leaves nine tenths of it; this bounds the positions that exist
 * when the payment begins. Coins that are bonded during the payment stay locked for longer than an interval, so each
 * coin makes a part of at most one more position. The own bonds of the members are visited separately.
 */
export function stakePayoutCuts(parameters: LedgerParameters): bigint {
  const { positionMin, stakePayoutsPerCut, stakeVisitsPerCut } = parameters;
  const least = positionMin < SELF_BOND_MIN ? positionMin : SELF_BOND_MIN;
  const slashed = least - least / SLASHED_DELEGATION_DIVISOR;
  const payments = MAX_SUPPLY / least;
  const visits = MAX_SUPPLY / slashed + MAX_SUPPLY / least + BigInt(COMMITTEE_SIZE_MAX);
  return (
    roundedUp(payments, BigInt(stakePayoutsPerCut)) + roundedUp(visits, BigInt(stakeVisitsPerCut))
  );
}

function roundedUp(amount: bigint, divisor: bigint): bigint {
  return (amount + divisor - 1n) / divisor;
}

/** The epoch of a cut. Heights start at 1: epoch 0 holds the cuts 1 to N; genesis, 0, is before. */
export function epochOf(height: number, interval: number): number {
  return height === 0 ? 0 : Math.floor((height - 1) / interval);
}

/** The first cut of an epoch. */
export function epochStart(epoch: number, interval: number): number {
  return epoch * interval + 1;
}

/** The last cut of an epoch. */
export function epochEnd(epoch: number, interval: number): number {
  return (epoch + 1) * interval;
}

/** The first cut that the set which signs this one signed: of its epoch, or the one after a recovery. */
export function setStart(
  { interval, recoveries }: Pick<LedgerParameters, 'interval' | 'recoveries'>,
  height: number,
): number {
  const starts = recoveries.map((recovery) => recovery.height + 1);
  const before = starts.filter((start) => start <= height);
  return Math.max(epochStart(epochOf(height, interval), interval), ...before);
}

/** The attendance window of a cut, counted from 0 within its epoch. */
export function attendanceWindowOf(height: number, interval: number): number {
  const offset = height - epochStart(epochOf(height, interval), interval);
  return Math.floor((offset * ATTENDANCE_WINDOWS) / interval);
}
