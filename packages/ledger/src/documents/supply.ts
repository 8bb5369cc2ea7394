/**
 * The supply document: where every issued atom is, at one finalized cut.
 */
import { MAX_SUPPLY } from '../parameters.ts';
import type { EconomyRecord } from '../records.ts';

export interface SupplyDocument {
  readonly maxSupply: bigint;
  readonly minted: bigint;
  readonly burned: bigint;
  readonly totalSupply: bigint;
  readonly circulatingSupply: bigint;
  readonly bonded: bigint;
  readonly unbonding: bigint;
  readonly workReserve: bigint;
  readonly stakeReserve: bigint;
  readonly unscheduledEmission: bigint;
}

export function supplyDocument(economy: EconomyRecord): SupplyDocument {
  const { minted, burned, outputs, bonded, unbonding, workReserve, stakeReserve } = economy;
  return {
    maxSupply: MAX_SUPPLY,
    minted,
    burned,
    totalSupply: minted - burned,
    circulatingSupply: outputs,
    bonded,
    unbonding,
    workReserve,
    stakeReserve,
    unscheduledEmission: MAX_SUPPLY - minted,
  };
}
