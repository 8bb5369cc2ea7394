/**
 * How the committee of a ledger is to change within a run; what is drawn is said in `ledger/changes`.
 */

/** Something that the operator of a validator sends once the chain is so high. */
export interface PlannedStep {
  readonly validator: number;
  readonly fromHeight: number;
}

export interface PlannedJoin extends PlannedStep {
  /** In units of the bonds of the genesis. */
  readonly stake: bigint;
}

/** A process that does not run for a while. */
export interface Absence {
  readonly validator: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface CommitteeChanges {
  /** Validators of the genesis; those with higher numbers join. */
  readonly founders: number;
  readonly joins: readonly PlannedJoin[];
  readonly exits: readonly PlannedStep[];
  readonly rotations: readonly PlannedStep[];
  readonly absences: readonly Absence[];
  /** Liars are honest below this height: many offences are to be of the last cut of an epoch. */
  readonly liesFromHeight: number;
}
