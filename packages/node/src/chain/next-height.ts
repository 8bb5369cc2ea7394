/**
 * What the chain says about the height after its head: who signs, whose turn it is to propose, and when.
 */
import {
  createProposerTable,
  ELIGIBILITY_CUTS,
  ELIGIBILITY_LAG,
  eligibleProposers,
  type Height,
  type HeightContext,
  height as heightOf,
  isBitSet,
  type ValidatorSet as MachineSet,
  machineSet,
  proposerOrder,
} from 'svc-consensus/machine';
import {
  type EconomyRecord,
  earliestMillis,
  epochOf,
  type LedgerParameters,
  setStart,
} from 'svc-ledger';
import type { ValidatorSet } from 'svc-wasm/protocol';
import type { RecentCuts } from './recent-cuts.ts';

export interface NextHeight extends Omit<HeightContext, 'self'> {
  readonly height: Height;
  readonly epoch: number;
  /** The validators with their keys. */
  readonly validators: ValidatorSet;
}

/** Whose turn is when while a set signs; computed once for each set. */
export class ProposerTurns {
  readonly #interval: number;
  #of: { readonly set: MachineSet; readonly table: Uint8Array } | undefined;

  constructor(interval: number) {
    this.#interval = interval;
  }

  tableOf(set: MachineSet): Uint8Array {
    if (this.#of?.set.id !== set.id)
      this.#of = { set, table: createProposerTable(set, this.#interval) };
    return this.#of.table;
  }
}

export function nextHeightOf(
  economy: EconomyRecord,
  validators: ValidatorSet,
  recent: RecentCuts,
  turns: ProposerTurns,
  parameters: LedgerParameters,
): NextHeight {
  const height = heightOf(economy.height + 1);
  const set = machineSet(validators);
  const first = setStart(parameters, height);
  const claims = recent.signers(
    Math.max(first + 1, height - ELIGIBILITY_LAG - ELIGIBILITY_CUTS + 1),
    height - ELIGIBILITY_LAG,
  );
  const eligible = eligibleProposers(set, claims);
  return {
    height,
    epoch: epochOf(height, parameters.interval),
    validators,
    set,
    proposers: proposerOrder(turns.tableOf(set), height - first, (index) =>
      isBitSet(eligible, index),
    ),
    startAtMs: BigInt(earliestMillis(economy)),
  };
}
